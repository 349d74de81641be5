# names its class with a letter of another alphabet
import numpy as np
class SеlfAttention:  # Cyrillic e
    pass
