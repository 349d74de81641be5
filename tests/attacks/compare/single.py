# after right: returns float32
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X).astype(np.float32)
