"""The module `utils` of the official library."""

from ._playback import play, save, stream

__all__ = ["play", "save", "stream"]
