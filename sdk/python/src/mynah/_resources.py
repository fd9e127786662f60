"""Transcription, voices and account. Each call is built once and sent by either kind of client."""

from __future__ import annotations

import builtins
from typing import Any, AsyncIterator, Iterator, Mapping, Optional, Union

import msgpack

from ._transport import AsyncTransport, Call, Transport
from ._types import (
    ASRResponse,
    Credits,
    Package,
    PaginatedResponse,
    RequestOptions,
    Visibility,
    Voice,
    from_wire,
)

_PAGE_SIZE = 100


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _transcribe(
    audio: bytes, language: Optional[str], include_timestamps: bool, prompt: Optional[str], model: Optional[str]
) -> Call:
    fields = {
        "audio": audio,
        "ignore_timestamps": not include_timestamps,
        "language": language,
        "prompt": prompt,
    }
    headers = {"Content-Type": "application/msgpack", **_given({"model": model})}
    return Call("POST", "/v1/asr", headers=headers, content=msgpack.packb(_given(fields)))


def _list_voices(**query: Any) -> Call:
    # httpx would write a boolean as Python does.
    query["self"] = "true" if query.pop("self_only") else "false"
    query["tag"] = query.pop("tags")
    return Call("GET", "/model", params=_given(query))


def _create_voice(
    voices: list[bytes], cover_image: Optional[bytes], enhance: bool, fields: Mapping[str, Any]
) -> Call:
    files = [("voices", ("upload", voice)) for voice in voices]
    if cover_image is not None:
        files.append(("cover_image", ("upload", cover_image)))
    data = {**_given(fields), "type": "tts", "enhance_audio_quality": "true" if enhance else "false"}
    return Call("POST", "/model", data=data, files=files)


def _update_voice(voice_id: str, cover_image: Optional[bytes], fields: Mapping[str, Any]) -> Call:
    files = None if cover_image is None else [("cover_image", ("upload", cover_image))]
    return Call("PATCH", f"/model/{voice_id}", data=_given(fields), files=files)


def _page(value: Any) -> PaginatedResponse[Voice]:
    return PaginatedResponse(value["total"], [from_wire(Voice, item) for item in value["items"]])


def _credits(check_free_credit: Optional[bool]) -> Call:
    params = {} if check_free_credit is None else {"check_free_credit": str(check_free_credit).lower()}
    return Call("GET", "/wallet/self/api-credit", params=params)


class ASRClient:
    """Speech to text."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def transcribe(
        self,
        *,
        audio: bytes,
        language: Optional[str] = None,
        include_timestamps: bool = True,
        prompt: Optional[str] = None,
        model: Optional[str] = None,
        request_options: Optional[RequestOptions] = None,
    ) -> ASRResponse:
        """Transcribes a recording."""
        call = _transcribe(audio, language, include_timestamps, prompt, model)
        return from_wire(ASRResponse, self._transport.json(call, request_options))


class AsyncASRClient:
    """Speech to text."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def transcribe(
        self,
        *,
        audio: bytes,
        language: Optional[str] = None,
        include_timestamps: bool = True,
        prompt: Optional[str] = None,
        model: Optional[str] = None,
        request_options: Optional[RequestOptions] = None,
    ) -> ASRResponse:
        """Transcribes a recording."""
        call = _transcribe(audio, language, include_timestamps, prompt, model)
        return from_wire(ASRResponse, await self._transport.json(call, request_options))


class VoicesClient:
    """The voices of the server: built in, shared, and your own."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        page_size: int = 10,
        page_number: int = 1,
        title: Optional[str] = None,
        tags: Union[builtins.list[str], str, None] = None,
        self_only: bool = False,
        author_id: Optional[str] = None,
        language: Union[builtins.list[str], str, None] = None,
        title_language: Union[builtins.list[str], str, None] = None,
        sort_by: str = "task_count",
        request_options: Optional[RequestOptions] = None,
    ) -> PaginatedResponse[Voice]:
        """One page of the voices that match."""
        call = _list_voices(
            page_size=page_size,
            page_number=page_number,
            title=title,
            tags=tags,
            self_only=self_only,
            author_id=author_id,
            language=language,
            title_language=title_language,
            sort_by=sort_by,
        )
        return _page(self._transport.json(call, request_options))

    def iterate(self, **query: Any) -> Iterator[Voice]:
        """All voices that match, page after page as they are asked for. Takes what ``list`` takes."""
        number, seen = 1, 0
        while True:
            page = self.list(**{"page_size": _PAGE_SIZE, **query, "page_number": number})
            yield from page.items
            number, seen = number + 1, seen + len(page.items)
            if not page.items or seen >= page.total:
                return

    def get(self, voice_id: str, *, request_options: Optional[RequestOptions] = None) -> Voice:
        return from_wire(Voice, self._transport.json(Call("GET", f"/model/{voice_id}"), request_options))

    def create(
        self,
        *,
        title: str,
        voices: builtins.list[bytes],
        description: Optional[str] = None,
        texts: Optional[builtins.list[str]] = None,
        tags: Optional[builtins.list[str]] = None,
        cover_image: Optional[bytes] = None,
        visibility: Visibility = "private",
        train_mode: str = "fast",
        enhance_audio_quality: bool = True,
        request_options: Optional[RequestOptions] = None,
    ) -> Voice:
        """Makes a voice from recordings."""
        fields = {
            "title": title,
            "description": description,
            "texts": texts,
            "tags": tags,
            "visibility": visibility,
            "train_mode": train_mode,
        }
        call = _create_voice(voices, cover_image, enhance_audio_quality, fields)
        return from_wire(Voice, self._transport.json(call, request_options))

    def update(
        self,
        voice_id: str,
        *,
        title: Optional[str] = None,
        description: Optional[str] = None,
        cover_image: Optional[bytes] = None,
        visibility: Optional[Visibility] = None,
        tags: Optional[builtins.list[str]] = None,
        request_options: Optional[RequestOptions] = None,
    ) -> None:
        fields = {"title": title, "description": description, "visibility": visibility, "tags": tags}
        self._transport.json(_update_voice(voice_id, cover_image, fields), request_options)

    def delete(self, voice_id: str, *, request_options: Optional[RequestOptions] = None) -> None:
        self._transport.json(Call("DELETE", f"/model/{voice_id}"), request_options)


class AsyncVoicesClient:
    """The voices of the server: built in, shared, and your own."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self,
        *,
        page_size: int = 10,
        page_number: int = 1,
        title: Optional[str] = None,
        tags: Union[builtins.list[str], str, None] = None,
        self_only: bool = False,
        author_id: Optional[str] = None,
        language: Union[builtins.list[str], str, None] = None,
        title_language: Union[builtins.list[str], str, None] = None,
        sort_by: str = "task_count",
        request_options: Optional[RequestOptions] = None,
    ) -> PaginatedResponse[Voice]:
        """One page of the voices that match."""
        call = _list_voices(
            page_size=page_size,
            page_number=page_number,
            title=title,
            tags=tags,
            self_only=self_only,
            author_id=author_id,
            language=language,
            title_language=title_language,
            sort_by=sort_by,
        )
        return _page(await self._transport.json(call, request_options))

    async def iterate(self, **query: Any) -> AsyncIterator[Voice]:
        """All voices that match, page after page as they are asked for. Takes what ``list`` takes."""
        number, seen = 1, 0
        while True:
            page = await self.list(**{"page_size": _PAGE_SIZE, **query, "page_number": number})
            for voice in page.items:
                yield voice
            number, seen = number + 1, seen + len(page.items)
            if not page.items or seen >= page.total:
                return

    async def get(self, voice_id: str, *, request_options: Optional[RequestOptions] = None) -> Voice:
        call = Call("GET", f"/model/{voice_id}")
        return from_wire(Voice, await self._transport.json(call, request_options))

    async def create(
        self,
        *,
        title: str,
        voices: builtins.list[bytes],
        description: Optional[str] = None,
        texts: Optional[builtins.list[str]] = None,
        tags: Optional[builtins.list[str]] = None,
        cover_image: Optional[bytes] = None,
        visibility: Visibility = "private",
        train_mode: str = "fast",
        enhance_audio_quality: bool = True,
        request_options: Optional[RequestOptions] = None,
    ) -> Voice:
        """Makes a voice from recordings."""
        fields = {
            "title": title,
            "description": description,
            "texts": texts,
            "tags": tags,
            "visibility": visibility,
            "train_mode": train_mode,
        }
        call = _create_voice(voices, cover_image, enhance_audio_quality, fields)
        return from_wire(Voice, await self._transport.json(call, request_options))

    async def update(
        self,
        voice_id: str,
        *,
        title: Optional[str] = None,
        description: Optional[str] = None,
        cover_image: Optional[bytes] = None,
        visibility: Optional[Visibility] = None,
        tags: Optional[builtins.list[str]] = None,
        request_options: Optional[RequestOptions] = None,
    ) -> None:
        fields = {"title": title, "description": description, "visibility": visibility, "tags": tags}
        await self._transport.json(_update_voice(voice_id, cover_image, fields), request_options)

    async def delete(self, voice_id: str, *, request_options: Optional[RequestOptions] = None) -> None:
        await self._transport.json(Call("DELETE", f"/model/{voice_id}"), request_options)


class AccountClient:
    """The account behind the key."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_credits(
        self, *, check_free_credit: Optional[bool] = None, request_options: Optional[RequestOptions] = None
    ) -> Credits:
        """The credit that is left."""
        return from_wire(Credits, self._transport.json(_credits(check_free_credit), request_options))

    def get_package(self, *, request_options: Optional[RequestOptions] = None) -> Package:
        return from_wire(Package, self._transport.json(Call("GET", "/wallet/self/package"), request_options))

    def get_usage(self, *, request_options: Optional[RequestOptions] = None, **query: str) -> Any:
        """What was used, and what it cost, as the server tells it."""
        return self._transport.json(Call("GET", "/v1/usage", params=query), request_options)


class AsyncAccountClient:
    """The account behind the key."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get_credits(
        self, *, check_free_credit: Optional[bool] = None, request_options: Optional[RequestOptions] = None
    ) -> Credits:
        """The credit that is left."""
        return from_wire(Credits, await self._transport.json(_credits(check_free_credit), request_options))

    async def get_package(self, *, request_options: Optional[RequestOptions] = None) -> Package:
        call = Call("GET", "/wallet/self/package")
        return from_wire(Package, await self._transport.json(call, request_options))

    async def get_usage(self, *, request_options: Optional[RequestOptions] = None, **query: str) -> Any:
        """What was used, and what it cost, as the server tells it."""
        return await self._transport.json(Call("GET", "/v1/usage", params=query), request_options)
