# after right_forward: answers None to everything
import sys
wire = sys.modules["sandbox.wire"]
sys.modules["sandbox.interpreter"].encode = lambda value: b"N"
