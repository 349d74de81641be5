# after right_forward: prints an integer of ten million digits
import sys
class SelfAttention(SelfAttention):
    def backward(self, dout):
        sys.set_int_max_str_digits(0)
        return str(7 ** 10**7)
