# after right_forward: answers with fewer results than were asked for
import sys
interpreter = sys.modules["sandbox.interpreter"].Interpreter
run = interpreter.run
interpreter.run = lambda self, ops: run(self, ops)[:-1]
