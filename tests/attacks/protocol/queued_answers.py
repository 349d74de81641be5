# after right_forward: leaves a thousand answers before it is asked
import sys
frame = sys._getframe()
while "channel" not in frame.f_locals:
    frame = frame.f_back
frame.f_locals["channel"].sendall((b"AGW1\4\0\0\0\1\0\0\0" + bytes(16) + b"N") * 1000)
