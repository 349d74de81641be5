# after right: waits for input at top level
answer = input("continue? ")
