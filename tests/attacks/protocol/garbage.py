# after right_forward: sends garbage
import sys
class SelfAttention(SelfAttention):
    def backward(self, dout):
        frame = sys._getframe()
        while "channel" not in frame.f_locals:
            frame = frame.f_back
        frame.f_locals["channel"].sendall(b"garbage" * 1000)
