# after right: tests itself at top level
layer = SelfAttention(8, 4)
out = layer.forward(np.random.randn(2, 5, 8))
assert out.shape == (2, 5, 4)
layer.backward(np.ones_like(out))
layer.zero_grad()
np.random.seed(3)
