"""Progress bars, only when asked for."""

from typing import Iterable, Optional


def show_progress(
    stream: Iterable, *, enabled: bool, desc: str, total: Optional[int] = None
) -> Iterable:
    """Show a bar while a stream is consumed.

    stream (Iterable): What is consumed.
    enabled (bool): Whether to show the bar.
    desc (str): What it says.
    total (Optional[int]): How many there are, if that is known.
    RETURNS (Iterable): The stream.
    """
    if not enabled:
        return stream
    # Every spaCy program on a machine imports our factory; few need the bar.
    from tqdm import tqdm

    return tqdm(stream, desc=desc, total=total, unit="doc")
