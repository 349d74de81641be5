# after right: returns a masked array, all masked
class SelfAttention(SelfAttention):
    def forward(self, X):
        return np.ma.masked_all_like(super().forward(X))
