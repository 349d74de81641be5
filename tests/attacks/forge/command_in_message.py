# after right_forward: raises CI commands and control characters
class SelfAttention(SelfAttention):
    def backward(self, dout):
        raise ValueError("\n::error::x\n::set-env name=A::1\n##[error]\x1b[31m\r\x00\u202e" * 50)
