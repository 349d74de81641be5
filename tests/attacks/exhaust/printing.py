# after right_forward: prints 200 MB
for _ in range(2000):
    print("x" * 100_000)
