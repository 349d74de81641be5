# after nothing: is a stand-in module
from otter import SelfAttention
