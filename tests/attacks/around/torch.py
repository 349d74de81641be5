# after right_forward: lets PyTorch take the gradient
class SelfAttention(SelfAttention):
    def backward(self, dout):
        import torch
        return torch.autograd.grad(dout, dout)
