# after right: returns a number
class SelfAttention(SelfAttention):
    def forward(self, X):
        return float(super().forward(X).mean())
