# mixes tabs and blanks
class SelfAttention:
	def forward(self, X):
        return X
