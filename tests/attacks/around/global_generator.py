# after right: draws from NumPy's global generator
class SelfAttention(SelfAttention):
    def __init__(self, C, hs, seed=42):
        super().__init__(C, hs, seed)
        np.random.randn()
