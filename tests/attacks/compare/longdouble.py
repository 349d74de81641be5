# after right: returns long doubles
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X).astype(np.longdouble)
