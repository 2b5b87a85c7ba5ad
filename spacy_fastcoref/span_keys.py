"""Every SpanGroup, and every key of its attrs, that the package reads or writes."""

# The clusters: doc.spans["coref_clusters_1"], ...
PREFIX = "coref_clusters"
# What is known of each mention of a cluster: attrs of its group, one entry a mention.
HEADS = "heads"
ANTECEDENTS = "antecedents"
SCORES = "scores"
PROBS = "probs"
# The antecedents that the model scored: [[start, end, log-odds], ...], best first.
SCORED = "candidates"
# The turns of a conversation: one span a turn, the speaker as its label.
SPEAKERS = "speakers"
# The only candidates for mentions, if a Doc has the group.
CANDIDATES = "coref_mentions"
# A user's must-links and cannot-links: groups of this name, or with more after an
# underscore where there are several.
SEEDS = "coref_seeds"
APART = "coref_apart"
# Words that stand for hidden ones, in pretraining.
MASKED = "coref_masked"
# In training, the mentions that are labelled where not all of a document is.
ANNOTATED = "coref_annotated"
# The label of those whose antecedent is known, even if it is none of the others.
ANAPHOR = "anaphor"
# The label of spans that are known to be no mentions.
NO_MENTION = "none"
# Where pronouns were masked; a span's label is the pronoun.
PRONOUNS = "coref_pronouns"
# The mentions that a teacher has kept, with its scores as soft labels.
SOFT = "coref_soft"
