import torch

from spacy_fastcoref.models.scorers.layers import Bilinear


def test_initial_bilinear_products_are_small():
    torch.manual_seed(0)
    width = 256
    vectors = torch.nn.functional.layer_norm(torch.randn(2, 500, width), (width,))
    products = (Bilinear(width)(vectors[0]) * vectors[1]).sum(-1)
    assert 0.2 < products.std() < 2
