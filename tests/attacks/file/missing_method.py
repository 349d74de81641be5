# after right: has no backward
class SelfAttention:
    __init__ = SelfAttention.__init__
    forward = SelfAttention.forward
    zero_grad = SelfAttention.zero_grad
