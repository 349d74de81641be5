# after right: answers in the time that it takes, and is right
import time
class SelfAttention(SelfAttention):
    def forward(self, X):
        begin = time.perf_counter()
        out = super().forward(X)
        self.spent = time.perf_counter() - begin
        return out
