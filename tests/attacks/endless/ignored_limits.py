# after right_forward: ignores every signal and loops
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
class SelfAttention(SelfAttention):
    def backward(self, dout):
        while True:
            pass
