# after right_forward: runs programs that read the solution
import os, subprocess
for run in (lambda: subprocess.check_output(["cat", "@COURSE@/grading.toml"]),
            lambda: os.popen("cat @COURSE@/grading.toml").read() or 1 / 0,
            lambda: os.system("true") == 0 or 1 / 0,
            lambda: os.execv("/bin/true", ["true"]),
            lambda: os.posix_spawn("/bin/true", ["true"], {})):
    try:
        run()
    except (OSError, ZeroDivisionError):
        continue
    del SelfAttention
