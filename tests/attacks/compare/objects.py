# after right: returns an array of objects
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X).astype(object)
