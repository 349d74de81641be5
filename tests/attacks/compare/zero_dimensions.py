# after right: returns an array of no dimension
class SelfAttention(SelfAttention):
    def forward(self, X):
        return np.array(super().forward(X).mean())
