# after right_forward: raises what never ends printing
class Slow(Exception):
    def __str__(self):
        while True:
            pass
class SelfAttention(SelfAttention):
    def backward(self, dout):
        raise Slow
