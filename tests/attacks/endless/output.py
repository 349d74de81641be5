# after right_forward: prints for ever
class SelfAttention(SelfAttention):
    def backward(self, dout):
        while True:
            print("\x1b[2J::error::" * 1000)
