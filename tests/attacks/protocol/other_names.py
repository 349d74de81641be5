# after right_forward: patches the worker so that nothing is asked of its layer
import sys
wire = sys.modules["sandbox.wire"]
interpreter = sys.modules["sandbox.interpreter"].Interpreter
interpreter.op_call = lambda self, layer, name, args: np.ones(1)
interpreter.op_get = lambda self, layer, name: np.ones(1)
