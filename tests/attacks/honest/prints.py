# after right: prints in a loop, with every control character
import sys
class SelfAttention(SelfAttention):
    def forward(self, X):
        out = super().forward(X)
        for row in out:
            print("row", row, flush=True)
            print("::error::\x1b[31m##[group]", file=sys.stderr)
        sys.stdout.write("done")
        return out
