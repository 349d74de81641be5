# after wrong: returns NaN from forward
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X) * np.nan
