# after right_forward: takes NumPy away from the code that carries out calls
import sys
class Zeros:
    def __getattr__(self, name):
        return getattr(np, name)
    def array(self, value, *a, **k):
        return np.zeros(np.shape(value))
sys.modules["sandbox.interpreter"].np = Zeros()
