# is Python 2
class SelfAttention:
    def forward(self, X):
        print "hello"
