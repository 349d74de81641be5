# after right_forward: raises what prints as text of a class of its own
class Text(str):
    def __getitem__(self, index):
        raise KeyboardInterrupt
    def encode(self, *a):
        return b"x" * (1 << 40)
class Odd(Exception):
    def __str__(self):
        return Text("a")
class SelfAttention(SelfAttention):
    def backward(self, dout):
        raise Odd
