# after right_forward: answers with a list that holds itself
class SelfAttention(SelfAttention):
    def backward(self, dout):
        found = []
        found += [found, found, found]
        return found
