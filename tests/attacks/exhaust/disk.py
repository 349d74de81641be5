# after right_forward: fills the disk
import tempfile
try:
    with tempfile.TemporaryFile(prefix="@MARKER@") as file:
        while True:
            file.write(bytes(1 << 20))
except OSError:
    pass
