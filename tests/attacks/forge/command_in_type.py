# after right_forward: returns an object whose type is named by a CI command
class SelfAttention(SelfAttention):
    def backward(self, dout):
        return type("\n::error::\x1b[2J##[error]", (), {})()
