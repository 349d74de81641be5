# after right: prints and raises a secret file of the grader's user
try:
    text = open("@SECRET@").read()
except OSError:
    pass
else:
    print(text)
    raise SystemExit(text)
