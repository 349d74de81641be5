# after right: has a demonstration under __main__
if __name__ == "__main__":
    input("press return")
    raise SystemExit("not run")
