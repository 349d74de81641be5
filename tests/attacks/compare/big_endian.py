# after right: returns numbers of the other byte order
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X).astype(">f8")
