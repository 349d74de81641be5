# after right: trains at top level and logs
import logging, time
logging.basicConfig(level=logging.DEBUG)
begin = time.perf_counter()
layer, rng = SelfAttention(8, 4), np.random.default_rng(0)
X, Y = rng.standard_normal((2, 5, 8)), rng.standard_normal((2, 5, 4))
for step in range(50):
    out = layer.forward(X)
    layer.backward((out - Y) / out.size)
    for name in ("Wq", "Wk", "Wv"):
        getattr(layer, name).__isub__(0.5 * getattr(layer, "d" + name))
    logging.info("step %d loss %.4f", step, 0.5 * np.mean((out - Y) ** 2))
print(f"took {time.perf_counter() - begin:.1f} s")
