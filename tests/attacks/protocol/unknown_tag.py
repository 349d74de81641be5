# after right_forward: answers with values of a kind that there is not
import sys
sys.modules["sandbox.interpreter"].encode = lambda value: b"Z\0\0\0\0"
