# after right: returns an empty array
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X)[:0]
