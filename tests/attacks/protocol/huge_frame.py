# after right_forward: announces a frame of 4 GB with the right id
import sys
class SelfAttention(SelfAttention):
    def backward(self, dout):
        frame = sys._getframe()
        while "channel" not in frame.f_locals:
            frame = frame.f_back
        frame.f_locals["channel"].sendall(b"AGW1\4\0\0\0\xff\xff\xff\xff" + frame.f_locals["frame_id"])
