# after right_forward: calls sys.exit(0) while it is loaded
import sys
sys.exit(0)
