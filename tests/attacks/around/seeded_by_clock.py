# after right: draws its weights by the clock
import time
class SelfAttention(SelfAttention):
    def __init__(self, C, hs, seed=42):
        super().__init__(C, hs, time.time_ns() % 2**32)
