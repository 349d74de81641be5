# after right_forward: stops itself
import os, signal
class SelfAttention(SelfAttention):
    def backward(self, dout):
        signal.raise_signal(signal.SIGSTOP)
        while True:
            pass
