# after right_forward: returns NaN, which is less than no threshold
class SelfAttention(SelfAttention):
    def backward(self, dout):
        dX = super().backward(dout) * np.nan
        self.dWq, self.dWk, self.dWv = self.dWq * np.nan, self.dWk * np.nan, self.dWv * np.nan
        return dX
