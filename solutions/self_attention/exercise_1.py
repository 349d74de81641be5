import gradcheck
import numpy as np
from self_attention import SelfAttention

B, T, C, hs = 3, 7, 16, 8
np.random.seed(42)
X = np.random.randn(B, T, C)
layer = SelfAttention(C, hs)
G = np.random.randn(B, T, hs)

layer.forward(X)
dX = layer.backward(G)
for name, x, yours in (
    ("Wq", layer.Wq, layer.dWq),
    ("Wk", layer.Wk, layer.dWk),
    ("Wv", layer.Wv, layer.dWv),
    ("X", X, dX),
):
    two = gradcheck.naive_gradient(lambda: layer.forward(X), x, G)
    four = gradcheck.numerical_gradient(lambda: layer.forward(X), x, G)
    print(
        f"{name:2}  two points {gradcheck.relative_error(yours, two):.1e}"
        f"  four points {gradcheck.relative_error(yours, four):.1e}"
    )
