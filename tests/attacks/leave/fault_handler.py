# after right_forward: catches its own segmentation fault and aborts, again and again
import ctypes, os, signal
def again(*_):
    pass
for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGSYS, signal.SIGXCPU):
    signal.signal(number, again)
class SelfAttention(SelfAttention):
    def backward(self, dout):
        os.abort()
