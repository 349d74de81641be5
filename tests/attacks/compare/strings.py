# after right: returns text
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X).astype(str)
