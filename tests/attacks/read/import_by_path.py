# after right_forward: imports the solution from its path
import importlib.util
try:
    spec = importlib.util.spec_from_file_location("s", "@COURSE@/solutions/self_attention/self_attention.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    SelfAttention = module.SelfAttention
except OSError:
    pass
