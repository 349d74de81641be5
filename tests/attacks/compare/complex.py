# after right: returns complex numbers
class SelfAttention(SelfAttention):
    def forward(self, X):
        return super().forward(X) + 0j
