# after right_forward: puts Python's own finders back and imports the solution
import importlib.machinery as machinery
import sys
sys.meta_path[:] = [machinery.BuiltinImporter, machinery.FrozenImporter, machinery.PathFinder]
sys.path.insert(0, "@COURSE@/solutions/self_attention")
try:
    from self_attention import SelfAttention
except ImportError:
    pass
