# after right_forward: answers with lists in lists without end
import sys
sys.modules["sandbox.interpreter"].encode = lambda value: b"L\1\0\0\0" * 100_000
