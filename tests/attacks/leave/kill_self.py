# after right_forward: kills itself
import os, signal
class SelfAttention(SelfAttention):
    def backward(self, dout):
        os.kill(os.getpid(), signal.SIGKILL)
