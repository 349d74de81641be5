# after right_forward: reads address 0
import ctypes
class SelfAttention(SelfAttention):
    def backward(self, dout):
        ctypes.string_at(0)
