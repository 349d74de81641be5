# after right_forward: raises what prints as something else than text
class Odd(Exception):
    def __str__(self):
        return 5
class SelfAttention(SelfAttention):
    def backward(self, dout):
        raise Odd
