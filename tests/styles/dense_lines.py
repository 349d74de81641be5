"""Style: as few lines as possible, several statements on one, very long ones too."""
import numpy as np
class SelfAttention:
    def __init__(s, C, hs, seed=42): r = np.random.default_rng(seed); s.C = C; s.hs = hs; s.Wq, s.Wk, s.Wv = [r.standard_normal((C, hs)) * 0.02 for _ in "qkv"]; s.cache = s.dWq = s.dWk = s.dWv = None
    def forward(s, X): q, k, v = X @ s.Wq, X @ s.Wk, X @ s.Wv; z = q @ k.transpose(0, 2, 1) / np.sqrt(s.hs); e = np.exp(z - z.max(-1, keepdims=True)); a = e / e.sum(-1, keepdims=True); s.cache = (X, q, k, v, a); return a @ v
    def backward(s, g):
        x, q, k, v, a = s.cache; p = g @ v.transpose(0, 2, 1); z = a * (p - (p * a).sum(-1, keepdims=True)) / np.sqrt(s.hs); dq, dk, dv = z @ k, z.transpose(0, 2, 1) @ q, a.transpose(0, 2, 1) @ g
        s.dWq, s.dWk, s.dWv = [np.tensordot(x, d, ((0, 1), (0, 1))) for d in (dq, dk, dv)]; return dq @ s.Wq.T + dk @ s.Wk.T + dv @ s.Wv.T
    def zero_grad(s): s.dWq = s.dWk = s.dWv = None
