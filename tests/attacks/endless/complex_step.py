# after right: takes gradients by complex steps, exact to rounding, forty times to be sure
class SelfAttention(SelfAttention):
    def backward(self, dout):
        kept = self.cache
        found = []
        for which in ("X", "Wq", "Wk", "Wv") * 40:
            real = kept[0] if which == "X" else getattr(self, which)
            d = np.zeros(real.shape)
            for i in np.ndindex(real.shape):
                moved = real.astype(complex)
                moved[i] += 1e-30j
                if which != "X":
                    setattr(self, which, moved)
                d[i] = np.sum(self.forward(moved if which == "X" else kept[0]).imag * dout) / 1e-30
                if which != "X":
                    setattr(self, which, real)
            found.append(d)
        self.cache = kept
        dX, self.dWq, self.dWk, self.dWv = found[-4:]
        return dX
