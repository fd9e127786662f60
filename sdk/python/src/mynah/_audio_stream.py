"""A stream of audio."""

from __future__ import annotations

from typing import AsyncGenerator, AsyncIterator, Generator, Iterator


class AudioStream:
    """A stream of audio. Iterate over it, or ``collect()`` it. ``close()`` stops the server."""

    def __init__(self, source: Generator[bytes, None, None]) -> None:
        self._source = source

    def __iter__(self) -> Iterator[bytes]:
        return self._source

    def __next__(self) -> bytes:
        return next(self._source)

    def collect(self) -> bytes:
        """Returns the complete audio."""
        return b"".join(self._source)

    def close(self) -> None:
        self._source.close()


class AsyncAudioStream:
    """A stream of audio. Iterate over it, or ``await collect()``. ``aclose()`` stops the server."""

    def __init__(self, source: AsyncGenerator[bytes, None]) -> None:
        self._source = source

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._source

    async def __anext__(self) -> bytes:
        return await self._source.__anext__()

    async def collect(self) -> bytes:
        """Returns the complete audio."""
        return b"".join([chunk async for chunk in self._source])

    async def aclose(self) -> None:
        await self._source.aclose()
