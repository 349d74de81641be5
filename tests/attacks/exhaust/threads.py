# after right_forward: starts threads for ever
import threading, time
try:
    while True:
        threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()
except RuntimeError:
    pass
