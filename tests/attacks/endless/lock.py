# after right_forward: waits for a lock that it holds
import threading
class SelfAttention(SelfAttention):
    def backward(self, dout):
        lock = threading.Lock()
        lock.acquire()
        lock.acquire()
