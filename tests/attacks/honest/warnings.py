# after right: warns and divides by zero beside its work
import warnings
class SelfAttention(SelfAttention):
    def forward(self, X):
        warnings.warn("a warning costs nothing")
        np.ones(2) / np.zeros(2)
        np.log(-1.0)
        return super().forward(X)
