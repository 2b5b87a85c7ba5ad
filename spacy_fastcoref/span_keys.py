"""List the keys of all SpanGroups that the package reads or writes."""

# The clusters: doc.spans["coref_clusters_1"], ...; their attrs are types.CLUSTER_ATTRS.
PREFIX = "coref_clusters"
# The beginning of a key in doc.user_data of a Doc with clusters, for its first token.
# Doc.from_docs moves it, so that a Doc with two of them has clusters of two Docs.
ORIGIN = ("._.", "coref_origin")
# The turns of a conversation. The label of each span is the speaker.
SPEAKERS = "speakers"
# The candidate mentions. If a Doc has this group, other spans can't be mentions.
CANDIDATES = "coref_mentions"
# A user's must-links and cannot-links. If there are several groups, their keys have an
# underscore and a suffix after this name.
SEEDS = "coref_seeds"
APART = "coref_apart"
# The masked words in pretraining.
MASKED = "coref_masked"
# The labelled spans of a partly labelled document, in training.
ANNOTATED = "coref_annotated"
# The label of mentions whose antecedent is labelled, or that are known to have none.
ANAPHOR = "anaphor"
# The label of spans that are known not to be mentions.
NO_MENTION = "none"
# In training, all mentions of a document, singletons included. The label of each span
# is its entity type.
TYPED = "coref_types"
# The masked pronouns in pretraining. The label of each span is the pronoun.
PRONOUNS = "coref_pronouns"
# A teacher's mentions, with its link scores as soft labels.
SOFT = "coref_soft"
# What is said: doc.spans["quotes"]; its attrs are those of quotes.turns.Quote.
QUOTES = "quotes"
