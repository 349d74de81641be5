# after right_forward: never ends zero_grad
class SelfAttention(SelfAttention):
    def zero_grad(self):
        while True:
            pass
