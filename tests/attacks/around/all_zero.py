# after nothing: returns zeros from everything, and zero_grad does nothing
class SelfAttention(SelfAttention):
    def zero_grad(self):
        pass
