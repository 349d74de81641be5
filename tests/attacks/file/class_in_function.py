# defines its class in a function
def make():
    class SelfAttention:
        pass
