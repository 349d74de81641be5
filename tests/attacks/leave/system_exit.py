# after right_forward: calls sys.exit(0) in backward
import sys
class SelfAttention(SelfAttention):
    def backward(self, dout):
        sys.exit(0)
