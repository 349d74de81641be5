# after right: returns right values through negative strides
class SelfAttention(SelfAttention):
    def forward(self, X):
        return np.ascontiguousarray(super().forward(X)[::-1])[::-1]
