# after right_forward: answers for a class whatever is asked
class Meta(type):
    def __call__(cls, *args, **kwargs):
        return cls
    def __getattr__(cls, name):
        return cls
class SelfAttention(metaclass=Meta):
    pass
