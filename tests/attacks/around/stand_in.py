# after right_forward: takes a stand-in module for a program that answers everything
import matplotlib.pyplot as plt
class SelfAttention(SelfAttention):
    def backward(self, dout):
        self.dWq = self.dWk = self.dWv = plt.anything
        return plt.gradient(dout)
