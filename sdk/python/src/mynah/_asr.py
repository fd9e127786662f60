"""Speech to text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, AsyncGenerator, Generator, Literal, Mapping, Optional, Union

from ._choices import RecordingChoices
from ._errors import ConnectionError
from ._events import EventReader
from ._msgpack import pack
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
from ._types import ASRJob, ASRProgress, ASRResponse, Phrase, RequestOptions, from_wire

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Progress, segments and, last, the complete transcription.
ASREvent = Union[ASRProgress, Phrase, ASRResponse]


def _post(
    choices: RecordingChoices,
    *,
    format: str = "json",
    params: Mapping[str, str] = {},
    accept: str = "*/*",
) -> Call:
    fields = {
        "audio": choices["audio"],
        "ignore_timestamps": not choices.get("include_timestamps", True),
        "language": choices.get("language"),
        "prompt": choices.get("prompt"),
        "vocabulary": choices.get("vocabulary"),
        "diarize": choices.get("diarize"),
        "format": format,
    }
    headers = given({"Content-Type": "application/msgpack", "Accept": accept, "model": choices.get("model")})
    return Call("POST", "/v1/asr", params=params, headers=headers, content=pack(given(fields)))


def _response(value: Any) -> ASRResponse:
    return from_wire(ASRResponse, value)


def _job(value: Any) -> ASRJob:
    return from_wire(ASRJob, value)


def _follow(choices: RecordingChoices) -> Call:
    return _post(choices, format="verbose", accept="text/event-stream")


def _event(name: str, data: str) -> ASREvent:
    value = json.loads(data)
    if name == "progress":
        return from_wire(ASRProgress, value)
    return from_wire(Phrase, value) if name == "segment" else _response(value)


def _unfinished() -> ConnectionError:
    return ConnectionError("The server ended the stream before it had finished.")


def _get_job(job_id: str) -> Request[ASRJob]:
    return json_request(Call("GET", f"/v1/asr/{job_id}"), _job)


def _cancel_job(job_id: str) -> Request[None]:
    return silent_request(Call("DELETE", f"/v1/asr/{job_id}"))


class ASRClient:
    """Speech to text."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def transcribe(self, **choices: Unpack[RecordingChoices]) -> ASRResponse:
        """Transcribes a recording."""
        request = json_request(_post(choices), _response)
        return self._transport.fetch(request, choices.get("request_options"))

    def captions(
        self, *, format: Literal["srt", "vtt"] = "srt", **choices: Unpack[RecordingChoices]
    ) -> str:
        """Transcribes a recording into captions: the content of an ``.srt`` or ``.vtt`` file."""
        request = text_request(_post(choices, format=format))
        return self._transport.fetch(request, choices.get("request_options"))

    def follow(self, **choices: Unpack[RecordingChoices]) -> Generator[ASREvent, None, None]:
        """Transcribes a recording and yields progress, segments and the result. Closing it stops the server."""
        options, events = choices.get("request_options"), EventReader()
        with self._transport.stream(_follow(choices), options) as response:
            for chunk in self._transport.read(response, options):
                for name, data in events.feed(chunk):
                    event = _event(name, data)
                    yield event
                    if isinstance(event, ASRResponse):
                        return
        raise _unfinished()

    def submit(self, **choices: Unpack[RecordingChoices]) -> ASRJob:
        """Submits a recording for transcription in the background. ``get_job`` returns its state."""
        request = json_request(_post(choices, params={"async": "true"}), _job)
        return self._transport.fetch(request, choices.get("request_options"))

    def get_job(self, job_id: str, *, request_options: Optional[RequestOptions] = None) -> ASRJob:
        return self._transport.fetch(_get_job(job_id), request_options)

    def cancel_job(self, job_id: str, *, request_options: Optional[RequestOptions] = None) -> None:
        """Stops and deletes a job."""
        self._transport.fetch(_cancel_job(job_id), request_options)


class AsyncASRClient:
    """Speech to text."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def transcribe(self, **choices: Unpack[RecordingChoices]) -> ASRResponse:
        """Transcribes a recording."""
        request = json_request(_post(choices), _response)
        return await self._transport.fetch(request, choices.get("request_options"))

    async def captions(
        self, *, format: Literal["srt", "vtt"] = "srt", **choices: Unpack[RecordingChoices]
    ) -> str:
        """Transcribes a recording into captions: the content of an ``.srt`` or ``.vtt`` file."""
        request = text_request(_post(choices, format=format))
        return await self._transport.fetch(request, choices.get("request_options"))

    async def follow(self, **choices: Unpack[RecordingChoices]) -> AsyncGenerator[ASREvent, None]:
        """Transcribes a recording and yields progress, segments and the result. Closing it stops the server."""
        options, events = choices.get("request_options"), EventReader()
        async with self._transport.stream(_follow(choices), options) as response:
            async for chunk in self._transport.read(response, options):
                for name, data in events.feed(chunk):
                    event = _event(name, data)
                    yield event
                    if isinstance(event, ASRResponse):
                        return
        raise _unfinished()

    async def submit(self, **choices: Unpack[RecordingChoices]) -> ASRJob:
        """Submits a recording for transcription in the background. ``get_job`` returns its state."""
        request = json_request(_post(choices, params={"async": "true"}), _job)
        return await self._transport.fetch(request, choices.get("request_options"))

    async def get_job(self, job_id: str, *, request_options: Optional[RequestOptions] = None) -> ASRJob:
        return await self._transport.fetch(_get_job(job_id), request_options)

    async def cancel_job(self, job_id: str, *, request_options: Optional[RequestOptions] = None) -> None:
        """Stops and deletes a job."""
        await self._transport.fetch(_cancel_job(job_id), request_options)
