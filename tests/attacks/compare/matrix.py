# after right: returns np.matrix
class SelfAttention(SelfAttention):
    def forward(self, X):
        return np.matrix(super().forward(X)[0])
