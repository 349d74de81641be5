# after right: returns nested lists
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X).tolist()
