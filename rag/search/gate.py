"""The gate: how similar the best passage must be before the book may answer a question.

The threshold alone tells far subjects from the book's, but not a near miss: a question in the
book's field about something the book leaves out is as similar as a good one. What gives it away
is that its telling words stand in no passage. So the less of a question's telling words any one of
the best passages mentions, the more similar the most similar one must be. See docs/decisions/0004.
"""

# Chosen on four books; docs/decisions/0004 has the measurement.
ENOUGH = 0.65
# Among how many of the best passages one must mention a question's words.
BEST = 5


def required_similarity(threshold: float, coverage: float) -> float:
    """The threshold, raised in proportion to what the passages leave unmentioned."""
    lacking = max(ENOUGH - coverage, 0.0)
    return min(threshold * (1 + lacking), 1.0)
