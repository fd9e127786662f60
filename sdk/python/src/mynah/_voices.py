"""The voices of the server."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, AsyncIterator, Iterator, Optional

from ._choices import NewVoice, VoiceChanges, VoiceDesignRequest, VoicePageQuery, VoiceQuery
from ._transport import (
    AsyncTransport,
    Call,
    Request,
    Transport,
    bytes_request,
    given,
    json_request,
    silent_request,
)
from ._types import DesignCandidate, PaginatedResponse, RequestOptions, Voice, VoiceDesign, from_wire

if TYPE_CHECKING:
    from typing_extensions import Unpack

_PAGE_SIZE = 100


def _list(query: VoicePageQuery) -> Request[PaginatedResponse[Voice]]:
    params = {
        "page_size": query.get("page_size", 10),
        "page_number": query.get("page_number", 1),
        "title": query.get("title"),
        "tag": query.get("tags"),
        # httpx would format a boolean as Python does.
        "self": "true" if query.get("self_only") else "false",
        "author_id": query.get("author_id"),
        "language": query.get("language"),
        "title_language": query.get("title_language"),
        "sort_by": query.get("sort_by", "task_count"),
    }
    return json_request(Call("GET", "/model", params=given(params)), _page)


def _page(value: Any) -> PaginatedResponse[Voice]:
    return PaginatedResponse(value["total"], [_voice(item) for item in value["items"]])


def _voice(value: Any) -> Voice:
    return from_wire(Voice, value)


def _get(voice_id: str) -> Request[Voice]:
    return json_request(Call("GET", f"/model/{voice_id}"), _voice)


def _create(voice: NewVoice) -> Request[Voice]:
    files = [("voices", ("upload", recording)) for recording in voice["voices"]]
    cover_image = voice.get("cover_image")
    if cover_image is not None:
        files.append(("cover_image", ("upload", cover_image)))
    data = {
        "type": "tts",
        "title": voice["title"],
        "description": voice.get("description"),
        "texts": voice.get("texts"),
        "tags": voice.get("tags"),
        "voice_design_signatures": voice.get("voice_design_signatures"),
        "visibility": voice.get("visibility", "private"),
        "train_mode": voice.get("train_mode", "fast"),
        "enhance_audio_quality": "true" if voice.get("enhance_audio_quality", True) else "false",
    }
    return json_request(Call("POST", "/model", data=given(data), files=files), _voice)


def _design(request: VoiceDesignRequest) -> Request[VoiceDesign]:
    body = {name: value for name, value in request.items() if name != "request_options"}
    headers = {"model": "voice-design-1"}
    return json_request(Call("POST", "/v1/voice-design", headers=headers, json=given(body)), _designed)


def _designed(value: Any) -> VoiceDesign:
    candidates = [_candidate(item) for item in value["candidates"]]
    return VoiceDesign(candidates, value["seed"], value["understood"], value["ignored"])


def _candidate(value: Any) -> DesignCandidate:
    return from_wire(DesignCandidate, {**value, "audio": base64.b64decode(value["audio_base64"])})


def _update(voice_id: str, changes: VoiceChanges) -> Request[None]:
    cover_image = changes.get("cover_image")
    files = None if cover_image is None else [("cover_image", ("upload", cover_image))]
    data = {name: changes.get(name) for name in ("title", "description", "visibility", "tags")}
    return silent_request(Call("PATCH", f"/model/{voice_id}", data=given(data), files=files))


def _delete(voice_id: str) -> Request[None]:
    return silent_request(Call("DELETE", f"/model/{voice_id}"))


def _sample(voice_id: str, index: int) -> Request[bytes]:
    return bytes_request(Call("GET", f"/model/{voice_id}/samples/{index}"))


def _cover(voice_id: str) -> Request[bytes]:
    return bytes_request(Call("GET", f"/model/{voice_id}/cover"))


class VoicesClient:
    """Built-in, shared and own voices."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, **query: Unpack[VoicePageQuery]) -> PaginatedResponse[Voice]:
        """Returns one page of the matching voices."""
        return self._transport.fetch(_list(query), query.get("request_options"))

    def iterate(self, **query: Unpack[VoiceQuery]) -> Iterator[Voice]:
        """All matching voices. Pages are requested as the loop proceeds."""
        query = {"page_size": _PAGE_SIZE, **query}
        number, seen = 1, 0
        while True:
            page = self.list(**query, page_number=number)
            yield from page.items
            number, seen = number + 1, seen + len(page.items)
            if not page.items or seen >= page.total:
                return

    def get(self, voice_id: str, *, request_options: Optional[RequestOptions] = None) -> Voice:
        return self._transport.fetch(_get(voice_id), request_options)

    def create(self, **voice: Unpack[NewVoice]) -> Voice:
        """Clones a voice from recordings."""
        return self._transport.fetch(_create(voice), voice.get("request_options"))

    def design(self, **request: Unpack[VoiceDesignRequest]) -> VoiceDesign:
        """Designs voices from a description. Nothing is stored; ``create`` stores a candidate."""
        return self._transport.fetch(_design(request), request.get("request_options"))

    def update(self, voice_id: str, **changes: Unpack[VoiceChanges]) -> None:
        self._transport.fetch(_update(voice_id, changes), changes.get("request_options"))

    def delete(self, voice_id: str, *, request_options: Optional[RequestOptions] = None) -> None:
        self._transport.fetch(_delete(voice_id), request_options)

    def sample(self, voice_id: str, index: int, *, request_options: Optional[RequestOptions] = None) -> bytes:
        """Returns a recording of the voice; ``index`` refers to its ``samples``."""
        return self._transport.fetch(_sample(voice_id, index), request_options)

    def cover(self, voice_id: str, *, request_options: Optional[RequestOptions] = None) -> bytes:
        """Returns the cover image of the voice."""
        return self._transport.fetch(_cover(voice_id), request_options)


class AsyncVoicesClient:
    """Built-in, shared and own voices."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, **query: Unpack[VoicePageQuery]) -> PaginatedResponse[Voice]:
        """Returns one page of the matching voices."""
        return await self._transport.fetch(_list(query), query.get("request_options"))

    async def iterate(self, **query: Unpack[VoiceQuery]) -> AsyncIterator[Voice]:
        """All matching voices. Pages are requested as the loop proceeds."""
        query = {"page_size": _PAGE_SIZE, **query}
        number, seen = 1, 0
        while True:
            page = await self.list(**query, page_number=number)
            for voice in page.items:
                yield voice
            number, seen = number + 1, seen + len(page.items)
            if not page.items or seen >= page.total:
                return

    async def get(self, voice_id: str, *, request_options: Optional[RequestOptions] = None) -> Voice:
        return await self._transport.fetch(_get(voice_id), request_options)

    async def create(self, **voice: Unpack[NewVoice]) -> Voice:
        """Clones a voice from recordings."""
        return await self._transport.fetch(_create(voice), voice.get("request_options"))

    async def design(self, **request: Unpack[VoiceDesignRequest]) -> VoiceDesign:
        """Designs voices from a description. Nothing is stored; ``create`` stores a candidate."""
        return await self._transport.fetch(_design(request), request.get("request_options"))

    async def update(self, voice_id: str, **changes: Unpack[VoiceChanges]) -> None:
        await self._transport.fetch(_update(voice_id, changes), changes.get("request_options"))

    async def delete(self, voice_id: str, *, request_options: Optional[RequestOptions] = None) -> None:
        await self._transport.fetch(_delete(voice_id), request_options)

    async def sample(
        self, voice_id: str, index: int, *, request_options: Optional[RequestOptions] = None
    ) -> bytes:
        """Returns a recording of the voice; ``index`` refers to its ``samples``."""
        return await self._transport.fetch(_sample(voice_id, index), request_options)

    async def cover(self, voice_id: str, *, request_options: Optional[RequestOptions] = None) -> bytes:
        """Returns the cover image of the voice."""
        return await self._transport.fetch(_cover(voice_id), request_options)
