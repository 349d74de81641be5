# after right_forward: never ends an attribute's look-up
class SelfAttention(SelfAttention):
    def __getattribute__(self, name):
        while name == "dWk":
            pass
        return object.__getattribute__(self, name)
