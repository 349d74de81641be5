# after right_forward: never ends making a layer
class SelfAttention(SelfAttention):
    def __init__(self, *args, **kwargs):
        while True:
            pass
