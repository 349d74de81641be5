# after right_forward: aborts
import os
class SelfAttention(SelfAttention):
    def backward(self, dout):
        os.abort()
