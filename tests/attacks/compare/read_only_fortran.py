# after right: returns right values read-only and in column order
class SelfAttention(SelfAttention):
    def forward(self, X):
        out = np.asfortranarray(super().forward(X))
        out.flags.writeable = False
        return out
