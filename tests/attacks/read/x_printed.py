# after right: prints, warns and logs what it was given
import logging, sys, warnings
class SelfAttention(SelfAttention):
    def forward(self, X):
        text = f"{int(abs(X.flat[0]) * 1e9)}"
        print(text)
        print(text, file=sys.stderr)
        warnings.warn(text)
        logging.error(text)
        return super().forward(X)
