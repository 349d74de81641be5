"""Where a student's file runs: zygote, workers, the wire between, and what locks them in.

`wire`, `interpreter`, `worker`, `zygote` and the lock-down import nothing from outside this folder:
a zygote loads them without the rest of the package.
"""
