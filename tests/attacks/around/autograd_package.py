# after right_forward: lets autograd or JAX take the gradient, if there is one
for name in ("jax", "autograd.numpy", "torch", "tensorflow", "scipy.optimize", "numdifftools", "sympy"):
    try:
        found = __import__(name)
    except ImportError:
        continue
    del SelfAttention
