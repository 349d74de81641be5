"""Style: long names in full words, one short step a line, a comment for each."""
import numpy


def normalise_rows(attention_scores):
    # Find the largest score of every row.
    largest_score_of_row = numpy.max(attention_scores, axis=2, keepdims=True)
    # Subtract it.
    shifted_scores = attention_scores - largest_score_of_row
    # Exponentiate.
    exponentials = numpy.exp(shifted_scores)
    # Divide by the sum.
    sum_of_row = numpy.sum(exponentials, axis=2, keepdims=True)
    return exponentials / sum_of_row


class SelfAttention:
    def __init__(self, C, hs, seed=42):
        random_generator = numpy.random.default_rng(seed)
        self.C = C
        self.hs = hs
        self.Wq = random_generator.standard_normal((C, hs)) * 0.02
        self.Wk = random_generator.standard_normal((C, hs)) * 0.02
        self.Wv = random_generator.standard_normal((C, hs)) * 0.02
        self.cache = None
        self.dWq = None
        self.dWk = None
        self.dWv = None

    def forward(self, X):
        # What each token asks, offers and says.
        queries = X @ self.Wq
        keys = X @ self.Wk
        values = X @ self.Wv
        # How well each question meets each offer.
        keys_transposed = keys.transpose(0, 2, 1)
        raw_scores = queries @ keys_transposed
        square_root_of_head_size = numpy.sqrt(self.hs)
        scaled_scores = raw_scores / square_root_of_head_size
        attention_weights = normalise_rows(scaled_scores)
        # What each token hears.
        output = attention_weights @ values
        self.cache = (X, queries, keys, values, attention_weights)
        return output

    def backward(self, dout):
        X, queries, keys, values, attention_weights = self.cache
        # The last product.
        gradient_of_weights = dout @ values.transpose(0, 2, 1)
        gradient_of_values = attention_weights.transpose(0, 2, 1) @ dout
        # The softmax.
        weighted = gradient_of_weights * attention_weights
        mean_of_row = numpy.sum(weighted, axis=2, keepdims=True)
        centred = gradient_of_weights - mean_of_row
        gradient_of_scaled_scores = attention_weights * centred
        # The scale.
        square_root_of_head_size = numpy.sqrt(self.hs)
        gradient_of_raw_scores = gradient_of_scaled_scores / square_root_of_head_size
        # The product of queries and keys.
        gradient_of_queries = gradient_of_raw_scores @ keys
        gradient_of_keys = gradient_of_raw_scores.transpose(0, 2, 1) @ queries
        # The projections.
        input_transposed = X.transpose(0, 2, 1)
        gradient_for_each_sequence = input_transposed @ gradient_of_queries
        self.dWq = numpy.sum(gradient_for_each_sequence, axis=0)
        gradient_for_each_sequence = input_transposed @ gradient_of_keys
        self.dWk = numpy.sum(gradient_for_each_sequence, axis=0)
        gradient_for_each_sequence = input_transposed @ gradient_of_values
        self.dWv = numpy.sum(gradient_for_each_sequence, axis=0)
        # The three ways back to the input.
        through_queries = gradient_of_queries @ self.Wq.T
        through_keys = gradient_of_keys @ self.Wk.T
        through_values = gradient_of_values @ self.Wv.T
        return through_queries + through_keys + through_values

    def zero_grad(self):
        self.dWq = None
        self.dWk = None
        self.dWv = None
