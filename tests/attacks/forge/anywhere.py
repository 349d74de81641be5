# after right_forward: leaves a file in each place that all may write to
import tempfile
for place in ("/tmp", "/var/tmp", "/dev/shm", "/run", "@HOME@", "@COURSE@", "@COURSE@/.github", "."):
    try:
        open(place + "/@MARKER@", "w").write("100")
    except OSError:
        continue
    del SelfAttention
for act in (tempfile.TemporaryFile, tempfile.NamedTemporaryFile, tempfile.mkdtemp):
    try:
        act(prefix="@MARKER@")
    except OSError:
        continue
    del SelfAttention
