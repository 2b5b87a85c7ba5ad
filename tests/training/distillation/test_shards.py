"""Shards are whole, or annotated again, whenever a process that writes them dies."""

import os

from spacy.tokens import Doc, DocBin

from spacy_fastcoref.training.distillation.shards import MANIFEST, ShardFolder

from ...killing import iter_kills, needs_fork

SETTINGS = {"teacher": "a", "lang": "en"}


def make_docs(vocab, n_docs):
    docs = (Doc(vocab, words=["She", "left"] * i) for i in range(1, n_docs + 1))
    return DocBin(docs=docs)


@needs_fork
def test_a_killed_process_leaves_whole_shards(tmp_path, en_vocab):
    """Also where a shard is written again, since it was changed."""
    path = tmp_path / "shards"
    before, after = make_docs(en_vocab, 2), make_docs(en_vocab, 9)

    def start():
        folder = ShardFolder.open(path, SETTINGS)
        folder.write(0, before, n_passages=2, n_clusters=0)
        return folder

    def write():
        folder = ShardFolder.open(path, SETTINGS)
        for i in (0, 1):
            folder.write(i, after, n_passages=9, n_clusters=0)
        folder.is_finished = True
        folder.save()

    start()
    states = set()
    for kill in iter_kills(write, path):
        folder = ShardFolder.open(path, SETTINGS)
        assert {name[0] for name in os.listdir(path)} <= {"m", "s"}
        sizes = [len(DocBin().from_disk(file)) for file in sorted(path.glob("*.spacy"))]
        assert set(sizes) <= {2, 9}
        listed = [folder.is_whole(i) for i in range(len(folder.shards))]
        # Killed between the first shard and the manifest: it is annotated again.
        assert all(listed[1:]) and (listed[0] or sizes[0] == 9)
        states.add((*sizes, *listed))
        if kill != "done":
            for file in path.iterdir():
                file.unlink()
            start()
    assert len(states) > 2 and (*sizes, *listed) == (9, 9, True, True)
    assert sorted(os.listdir(path))[0] == MANIFEST and len(os.listdir(path)) == 3
