# after right_forward: raises GeneratorExit in backward
class SelfAttention(SelfAttention):
    def backward(self, dout):
        raise GeneratorExit
