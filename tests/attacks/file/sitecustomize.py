# is a sitecustomize.py that Python would run at its start
import os
open("/tmp/@MARKER@", "w")
os._exit(0)
