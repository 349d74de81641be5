# after right_forward: registers an error handler and a codec for what is sent
import codecs
codecs.register_error("replace", lambda error: ("?" * 10**6, len(error.object)))
codecs.register(lambda name: None)
class SelfAttention(SelfAttention):
    def backward(self, dout):
        raise ValueError("\ud800")
