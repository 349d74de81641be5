# after right: returns times
class SelfAttention(SelfAttention):
    def forward(self, X):
        return (super().forward(X) * 1e6).astype("timedelta64[ns]")
