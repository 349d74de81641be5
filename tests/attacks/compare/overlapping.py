# after wrong: returns overlapping memory
class SelfAttention(SelfAttention):
    def forward(self, X):
        out = super().forward(X)
        return np.lib.stride_tricks.as_strided(out, out.shape, (0, 8, 0))
