# after right_forward: raises a class named by a CI command
class SelfAttention(SelfAttention):
    def backward(self, dout):
        raise type("::error::\n##[group]\x1b[2J", (Exception,), {"__module__": "::stop-commands::x"})
