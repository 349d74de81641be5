# after right_forward: never ends forward
class SelfAttention(SelfAttention):
    def forward(self, X):
        while True:
            pass
