# after right_forward: has work to do when Python ends
import atexit, os, sys, threading, weakref
def last():
    open("/tmp/@MARKER@", "w").write("x")
    os._exit(0)
atexit.register(last)
os.register_at_fork(after_in_child=last, before=last)
weakref.finalize(SelfAttention, last)
sys.excepthook = sys.unraisablehook = threading.excepthook = lambda *a: last()
