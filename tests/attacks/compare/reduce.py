# after right_forward: returns an object that would run code when unpickled
class Bomb:
    def __reduce__(self):
        return exec, ("open('/tmp/@MARKER@', 'w')",)
    def __getstate__(self):
        open("/tmp/@MARKER@", "w")
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return np.array([Bomb()], dtype=object)
