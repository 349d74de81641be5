# after right_forward: never ends loading
while True:
    pass
