# after right_forward: never ends backward, whatever is raised in it
class SelfAttention(SelfAttention):
    def backward(self, dout):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
