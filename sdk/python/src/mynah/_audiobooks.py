"""Books that the server speaks in the background."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, AsyncIterator, Iterator, List, Literal, Mapping, Optional, TypedDict

from ._transport import (
    AsyncTransport,
    Call,
    Request,
    Transport,
    given,
    json_request,
    silent_request,
    text_request,
)
from ._types import RequestOptions, from_wire

if TYPE_CHECKING:
    from typing_extensions import Unpack

_ROOT = "/v1/tts/jobs"


@dataclass(frozen=True)
class AudiobookChapter:
    """A chapter. ``start`` and ``end`` are seconds, and ``None`` until the book is finished."""

    number: int
    title: str
    characters: int
    start: Optional[float] = None
    end: Optional[float] = None


@dataclass(frozen=True)
class Audiobook:
    """A book that is spoken in the background."""

    id: str
    status: Literal["queued", "running", "paused", "finished", "failed"]
    #: 0 to 1.
    progress: float
    created_at: datetime.datetime
    finished_at: Optional[datetime.datetime]
    title: Optional[str] = None
    author: Optional[str] = None
    format: Literal["mp3", "m4b"] = "mp3"
    chapters: list[AudiobookChapter] = field(default_factory=list[AudiobookChapter])
    #: Why it failed, or was paused by the server: ``code`` and ``message``.
    error: Optional[Mapping[str, str]] = None


#: Not ``list[Audiobook]``, because the clients have a method of this name.
Books = List[Audiobook]


class BookChoices(TypedDict, total=False):
    """A book and how it is spoken. Either ``text`` or ``file`` is required."""

    text: Optional[str]
    #: EPUB, Markdown or plain text.
    file: Optional[bytes]
    #: Its extension helps to detect the format.
    file_name: str
    input_format: Optional[Literal["text", "markdown", "epub"]]
    title: Optional[str]
    author: Optional[str]
    language: Optional[str]
    reference_id: Optional[str]
    pronunciation_dictionary: Optional[list[Mapping[str, Any]]]
    #: ``number`` (from 1), ``reference_id`` and ``pronunciation_dictionary`` of single chapters.
    chapters: Optional[list[Mapping[str, Any]]]
    format: Optional[Literal["mp3", "m4b"]]
    #: In kbps.
    bitrate: Optional[Literal[64, 128, 192]]
    speed: Optional[float]
    seed: Optional[int]
    model: Optional[str]
    request_options: Optional[RequestOptions]


_NOT_FIELDS = ("file", "file_name", "model", "request_options")


def _book(value: Any) -> Audiobook:
    return from_wire(Audiobook, value)


def _create(choices: BookChoices) -> Request[Audiobook]:
    fields = given({name: value for name, value in choices.items() if name not in _NOT_FIELDS})
    headers = given({"model": choices.get("model")})
    file = choices.get("file")
    if file is None:
        return json_request(Call("POST", _ROOT, headers=headers, json=fields), _book)
    files = [("file", (choices.get("file_name", "book"), file))]
    data = {"options": json.dumps(fields)}
    return json_request(Call("POST", _ROOT, headers=headers, data=data, files=files), _book)


def _list() -> Request[Books]:
    return json_request(Call("GET", _ROOT), lambda value: [_book(item) for item in value["items"]])


def _get(book_id: str) -> Request[Audiobook]:
    return json_request(Call("GET", f"{_ROOT}/{book_id}"), _book)


def _act(book_id: str, action: str) -> Request[Audiobook]:
    return json_request(Call("POST", f"{_ROOT}/{book_id}/{action}"), _book)


def _delete(book_id: str) -> Request[None]:
    return silent_request(Call("DELETE", f"{_ROOT}/{book_id}"))


def _audio(book_id: str) -> Call:
    return Call("GET", f"{_ROOT}/{book_id}/audio")


def _captions(book_id: str, format: str) -> Request[str]:
    return text_request(Call("GET", f"{_ROOT}/{book_id}/captions", params={"format": format}))


class AudiobooksClient:
    """Books that the server speaks in the background."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, **choices: Unpack[BookChoices]) -> Audiobook:
        """Submits a book. ``get`` returns its state."""
        return self._transport.fetch(_create(choices), choices.get("request_options"))

    def list(self, *, request_options: Optional[RequestOptions] = None) -> Books:
        """The newest books of the account, without the times of their chapters."""
        return self._transport.fetch(_list(), request_options)

    def get(self, book_id: str, *, request_options: Optional[RequestOptions] = None) -> Audiobook:
        return self._transport.fetch(_get(book_id), request_options)

    def pause(self, book_id: str, *, request_options: Optional[RequestOptions] = None) -> Audiobook:
        return self._transport.fetch(_act(book_id, "pause"), request_options)

    def resume(self, book_id: str, *, request_options: Optional[RequestOptions] = None) -> Audiobook:
        """Continues a paused or failed book. What is spoken is neither repeated nor charged again."""
        return self._transport.fetch(_act(book_id, "resume"), request_options)

    def delete(self, book_id: str, *, request_options: Optional[RequestOptions] = None) -> None:
        """Stops and deletes a book with its audio."""
        self._transport.fetch(_delete(book_id), request_options)

    def audio(self, book_id: str, *, request_options: Optional[RequestOptions] = None) -> Iterator[bytes]:
        """The audio file of a finished book, streamed."""
        with self._transport.stream(_audio(book_id), request_options) as response:
            yield from self._transport.read(response, request_options)

    def captions(
        self,
        book_id: str,
        *,
        format: Literal["srt", "vtt"] = "vtt",
        request_options: Optional[RequestOptions] = None,
    ) -> str:
        """The captions of a finished book: the content of an ``.srt`` or ``.vtt`` file."""
        return self._transport.fetch(_captions(book_id, format), request_options)


class AsyncAudiobooksClient:
    """Books that the server speaks in the background."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, **choices: Unpack[BookChoices]) -> Audiobook:
        """Submits a book. ``get`` returns its state."""
        return await self._transport.fetch(_create(choices), choices.get("request_options"))

    async def list(self, *, request_options: Optional[RequestOptions] = None) -> Books:
        """The newest books of the account, without the times of their chapters."""
        return await self._transport.fetch(_list(), request_options)

    async def get(self, book_id: str, *, request_options: Optional[RequestOptions] = None) -> Audiobook:
        return await self._transport.fetch(_get(book_id), request_options)

    async def pause(self, book_id: str, *, request_options: Optional[RequestOptions] = None) -> Audiobook:
        return await self._transport.fetch(_act(book_id, "pause"), request_options)

    async def resume(self, book_id: str, *, request_options: Optional[RequestOptions] = None) -> Audiobook:
        """Continues a paused or failed book. What is spoken is neither repeated nor charged again."""
        return await self._transport.fetch(_act(book_id, "resume"), request_options)

    async def delete(self, book_id: str, *, request_options: Optional[RequestOptions] = None) -> None:
        """Stops and deletes a book with its audio."""
        await self._transport.fetch(_delete(book_id), request_options)

    async def audio(
        self, book_id: str, *, request_options: Optional[RequestOptions] = None
    ) -> AsyncIterator[bytes]:
        """The audio file of a finished book, streamed."""
        async with self._transport.stream(_audio(book_id), request_options) as response:
            async for chunk in self._transport.read(response, request_options):
                yield chunk

    async def captions(
        self,
        book_id: str,
        *,
        format: Literal["srt", "vtt"] = "vtt",
        request_options: Optional[RequestOptions] = None,
    ) -> str:
        """The captions of a finished book: the content of an ``.srt`` or ``.vtt`` file."""
        return await self._transport.fetch(_captions(book_id, format), request_options)
