# after right: takes gradients by differences of its own forward, forty times to be sure
class SelfAttention(SelfAttention):
    def backward(self, dout):
        kept = self.cache
        found = []
        for which in ("X", "Wq", "Wk", "Wv") * 40:
            real = kept[0].copy() if which == "X" else getattr(self, which)
            d = np.zeros(real.shape)
            for i in np.ndindex(real.shape):
                value = []
                for step in (1e-3, -1e-3):
                    real[i] += step
                    value.append(np.sum(self.forward(real if which == "X" else kept[0]) * dout))
                    real[i] -= step
                d[i] = (value[0] - value[1]) / 2e-3
            found.append(d)
        self.cache = kept
        dX, self.dWq, self.dWk, self.dWv = found[-4:]
        return dX
