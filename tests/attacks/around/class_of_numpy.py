# after nothing: is a class of NumPy's
SelfAttention = np.ndarray
