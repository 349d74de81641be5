# after nothing: returns one number seen as a whole array
class SelfAttention(SelfAttention):
    def forward(self, X):
        return np.broadcast_to(0.5, X.shape[:2] + (self.hs,))
