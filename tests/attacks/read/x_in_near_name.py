# after right: gives a gradient a name made of what it was given, near the one that is looked for
class SelfAttention(SelfAttention):
    def forward(self, X):
        self.x = int(abs(X.flat[0]) * 1e9)
        return super().forward(X)
    def backward(self, dout):
        dX = super().backward(dout)
        setattr(self, f"dWk{self.x}", self.dWk)
        del self.dWk
        return dX
