# after right: returns records
class SelfAttention(SelfAttention):
    def forward(self, X):
        return np.zeros(super().forward(X).shape, [("a", float), ("b", "S3")])
