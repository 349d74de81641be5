# after right: has floating-point warnings raised as errors
np.seterr(over="raise", invalid="raise", divide="raise")
import warnings
warnings.simplefilter("error")
