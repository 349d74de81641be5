# after right_forward: starts threads that answer later
import _thread, threading
for start in (lambda: threading.Thread(target=print, daemon=True).start(), lambda: _thread.start_new_thread(print, ()),
              lambda: threading.Timer(0.1, print).start()):
    try:
        start()
    except RuntimeError:
        continue
    del SelfAttention
