# after right: changes what it is given
class SelfAttention(SelfAttention):
    def forward(self, X):
        out = super().forward(X)
        self.cache = (X.copy(), *self.cache[1:])
        if X.flags.writeable:
            X *= 0
        return out
