# after right_forward: gives another gradient each time that it is read
class SelfAttention(SelfAttention):
    reads = 0
    def __getattribute__(self, name):
        value = object.__getattribute__(self, name)
        if name.startswith("dW") and value is not None:
            SelfAttention.reads += 1
            return value * SelfAttention.reads
        return value
