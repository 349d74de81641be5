# after right: is right the first time and wrong afterwards
class SelfAttention(SelfAttention):
    calls = 0
    def forward(self, X):
        SelfAttention.calls += 1
        out = super().forward(X)
        return out if SelfAttention.calls < 3 else 2 * out
