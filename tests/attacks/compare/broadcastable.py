# after right: returns a shape that would broadcast
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X).mean(axis=(0, 1), keepdims=True)
