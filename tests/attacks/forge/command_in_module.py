# after right_forward: imports a module named by a CI command
class SelfAttention(SelfAttention):
    def backward(self, dout):
        __import__("\n::error::\x1b[2J")
