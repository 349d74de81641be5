# after right_forward: compiles what breaks compilers
for text in ("(" * 100_000, "-" * 900_000 + "1", "[" * 100_000, "f'" + "{" * 10_000, "x." * 300_000, "lambda:" * 100_000):
    try:
        compile(text, "x", "exec")
    except (SyntaxError, MemoryError, RecursionError):
        pass
