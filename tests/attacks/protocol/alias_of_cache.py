# after right: returns an array of its cache and changes it in the next call
class SelfAttention(SelfAttention):
    buffer = None
    def forward(self, X):
        out = super().forward(X)
        if self.buffer is None or self.buffer.shape != out.shape:
            self.buffer = np.empty(out.shape)
        self.buffer[...] = out
        return self.buffer
