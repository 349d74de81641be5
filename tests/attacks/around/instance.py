# after right_forward: has an object in the place of the class
SelfAttention = SelfAttention(8, 4)
