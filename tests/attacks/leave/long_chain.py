# after right_forward: raises with 100,000 causes behind it
class SelfAttention(SelfAttention):
    def backward(self, dout):
        error = ValueError("x" * 10**6)
        for _ in range(100_000):
            later = ValueError()
            later.__cause__ = error
            error = later
        raise error
