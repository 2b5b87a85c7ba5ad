"""Rank the antecedents of mentions that grammar finds, with Thinc alone, without torch.

The networks are those of NeuralCoref and Coreferee; see `architecture.Ranker`.
"""
