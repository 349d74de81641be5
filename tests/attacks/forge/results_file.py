# after right_forward: writes a grade into the results
import os, pathlib
for act in (lambda p: open(p, "w"), lambda p: os.open(p, os.O_CREAT | os.O_WRONLY), lambda p: pathlib.Path(p).touch(),
            os.mkdir, os.mkfifo, os.unlink, os.rmdir, lambda p: os.rename(p, p + "x"), lambda p: os.symlink("x", p),
            lambda p: os.chmod(p, 0o777), lambda p: os.truncate(p, 0), lambda p: np.save(p, np.ones(1))):
    for name in ("grades/@MARKER@.json", "@MARKER@", "gradebook.db", "grades.csv"):
        try:
            act("@RESULTS@/" + name)
        except OSError:
            continue
        del SelfAttention
