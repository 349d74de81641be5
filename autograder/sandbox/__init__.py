"""Where a student's file runs: zygote, workers, the wire between, and what locks them in.

`wire`, `interpreter`, `worker`, `zygote` and the lock-down import nothing from outside this folder:
a zygote loads them without the rest of the package.
"""

# For the environment before NumPy is loaded: layers are too small for more threads, which only wait for work
ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
}
