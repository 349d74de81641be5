# after right_forward: sleeps
import time
class SelfAttention(SelfAttention):
    def backward(self, dout):
        time.sleep(1e6)
