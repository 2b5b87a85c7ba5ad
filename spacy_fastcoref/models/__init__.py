"""Models of coreference: the neural network, the ranker, and the nearest antecedent.

Of the network's folders each knows only those before it:

- `batching`, `blocks`, `folders`, `runtime`, `workers`: what all of them use.
- `encoders`: from words to word pieces, and to their vectors.
- `scorers`: from vectors to scores of spans and of pairs of mentions.
- `network`: the trained network, and predictions with it.
- `learning`: the loss, and the updates of the weights.
- `checkpoints`: saved models, fastcoref's among them, and the weights of new ones.
- `model`, `ensemble`, `architectures`: the models of configs.

Docstrings leave out arguments that are what their types say. A `path` is the name of a
file or folder for messages, a `config` the configuration of CorefNetwork.
"""
