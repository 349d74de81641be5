# after right_forward: defines classes named by CI commands, and not the one wanted
for n in range(100):
    globals()[f"C{n}"] = type("\n::error::\x1b[2J##[error]" * n, (), {})
    globals()[f"C{n}"].__module__ = "submission"
del SelfAttention
