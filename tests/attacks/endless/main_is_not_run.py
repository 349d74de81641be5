# loops where only a script would
import numpy as np
if __name__ == "__main__":
    while True:
        pass
