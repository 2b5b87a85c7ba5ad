"""Progress bars, shown only on request."""

from typing import Iterable, Optional


def show_progress(
    stream: Iterable, *, enabled: bool, desc: str, total: Optional[int] = None
) -> Iterable:
    """Show a progress bar while a stream is consumed.

    stream (Iterable): The stream.
    enabled (bool): Whether to show the bar.
    desc (str): The text in front of the bar.
    total (Optional[int]): The number of items in the stream, if it is known.
    RETURNS (Iterable): The items of the stream.
    """
    if not enabled:
        return stream
    # Imported here, because every program that uses spaCy imports this package.
    from tqdm import tqdm

    return tqdm(stream, desc=desc, total=total, unit="doc")
