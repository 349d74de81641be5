# after right_forward: forks to answer twice
import os
for make in (os.fork, os.forkpty, lambda: __import__("threading").Thread(target=print).start()):
    try:
        make()
    except (OSError, RuntimeError):
        continue
    del SelfAttention
