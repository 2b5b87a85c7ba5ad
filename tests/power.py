"""Fault injection: a power cut, after which the disk has only what was synced."""

import os
from pathlib import Path


class Disk:
    """Note what is synced below a folder, and what a power cut would leave of it.

    A file that was never synced is empty afterwards, and one that was synced before it
    was changed is as it was then. Names that were made or moved since their folder was
    synced may be there or not.
    """

    def __init__(self, root, monkeypatch, watch=lambda disk: None):
        self.root = Path(root)
        self.files, self.folders, self.kept = {}, {}, []
        for folder, _, names in os.walk(root):
            for path in (Path(folder), *(Path(folder, name) for name in names)):
                self._note(path)
        real = os.fsync

        def fsync(descriptor):
            real(descriptor)
            path = Path(os.readlink(f"/proc/self/fd/{descriptor}"))
            if self.root in (path, *path.parents):
                self._note(path)
                watch(self)

        monkeypatch.setattr(os, "fsync", fsync)

    def _note(self, path):
        # Open, so that no other file gets its number.
        self.kept.append(os.open(path, os.O_RDONLY))
        number = path.stat().st_ino
        if path.is_dir():
            self.folders[number] = {
                one.name: one.stat().st_ino for one in path.iterdir()
            }
        else:
            self.files[number] = path.read_bytes()

    def cut(self, *, keeps_names):
        """Read what is left: the contents of the files by their paths."""
        return dict(self._walk(self.root.stat().st_ino, "", keeps_names))

    def _walk(self, number, path, keeps_names):
        names = self.folders.get(number, {})
        found = self._find(number)
        if keeps_names and found is not None:
            names = {one.name: one.stat().st_ino for one in found.iterdir()}
        for name, inner in names.items():
            if inner in self.folders or (self._find(inner) or self.root).is_dir():
                yield from self._walk(inner, f"{path}{name}/", keeps_names)
            else:
                yield f"{path}{name}", self.files.get(inner, b"")

    def _find(self, number):
        for folder, folders, names in os.walk(self.root):
            for path in (Path(folder), *(Path(folder, n) for n in (*folders, *names))):
                if path.stat().st_ino == number:
                    return path

    def close(self):
        for descriptor in self.kept:
            os.close(descriptor)
