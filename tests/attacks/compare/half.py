# after right: returns float16
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X).astype(np.float16)
