# after right_forward: takes shared memory
import ctypes, os
libc = ctypes.CDLL(None)
if libc.shm_open(b"/@MARKER@", 66, 0o600) >= 0 or libc.syscall(29, 0, 1 << 20, 0o1666) >= 0:
    del SelfAttention
try:
    os.memfd_create("@MARKER@")
    del SelfAttention
except OSError:
    pass
