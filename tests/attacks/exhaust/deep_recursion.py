# after right_forward: calls itself with no limit
import sys
sys.setrecursionlimit(10**9)
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return max([dout], key=self.backward)
