# after right_forward: lists the course's folder
import os, pathlib
for look in (os.listdir, os.scandir, lambda p: list(pathlib.Path(p).iterdir()),
             lambda p: list(pathlib.Path(p).glob("*")) or 1 / 0, lambda p: list(os.walk(p)) or 1 / 0, os.chdir):
    try:
        look("@COURSE@")
    except (OSError, ZeroDivisionError):
        continue
    del SelfAttention
