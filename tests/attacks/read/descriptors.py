# after right_forward: reads every descriptor that it may have inherited
import os
for fd in range(1024):
    for act in (lambda: os.read(fd, 100) or 1 / 0, lambda: os.pread(fd, 100, 0), lambda: os.listdir(fd)):
        try:
            act()
        except (OSError, ZeroDivisionError):
            continue
        del SelfAttention
