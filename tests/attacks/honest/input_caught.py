# after right: waits for input and goes on without
try:
    answer = input("continue? ")
except Exception:
    answer = ""
