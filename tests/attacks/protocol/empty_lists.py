# after right_forward: answers with a list of 4 billion entries
import sys
sys.modules["sandbox.interpreter"].encode = lambda value: b"L\xff\xff\xff\xff"
