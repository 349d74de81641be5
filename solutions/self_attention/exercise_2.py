import numpy as np
from self_attention import SelfAttention

np.random.seed(0)
X = np.random.randn(2, 5, 8)
Y = np.random.randn(2, 5, 4)
layer = SelfAttention(8, 4)
for step in range(10):
    out = layer.forward(X)
    loss = 0.5 * np.mean((out - Y) ** 2)
    layer.backward((out - Y) / out.size)
    layer.Wq -= 0.5 * layer.dWq
    layer.Wk -= 0.5 * layer.dWk
    print(f"{loss:.8f}", end=" ")
    if step == 0:
        A = layer.cache[4]
        norms = [np.linalg.norm(g) for g in (layer.dWq, layer.dWk, layer.dWv)]
print(
    f"\nat step 1: largest |A - 1/T| {np.abs(A - 1 / 5).max():.1e}, norms of dWq, dWk, dWv",
    *(f"{n:.1e}" for n in norms),
)
