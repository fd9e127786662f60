"""The requests of text to speech, built once for both kinds of client."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any, Iterator, Mapping, Optional, Union

import msgpack

from ._errors import ConnectionError, WebSocketError
from ._transport import Call
from ._types import (
    Alignment,
    AudioFormat,
    FlushEvent,
    LatencyMode,
    Prosody,
    ReferenceAudio,
    TextEvent,
    TimedSpeech,
    TTSConfig,
    from_wire,
)

TextItem = Union[str, TextEvent, FlushEvent]


def speech_body(
    text: str,
    config: TTSConfig,
    *,
    reference_id: Union[str, list[str], None],
    references: Optional[list[ReferenceAudio]],
    format: Optional[AudioFormat],
    latency: Optional[LatencyMode],
    speed: Optional[float],
) -> dict[str, Any]:
    """The body of a request. What is given directly wins over the config."""
    changes: dict[str, Any] = {
        name: value
        for name, value in {
            "reference_id": reference_id,
            "references": references,
            "format": format,
            "latency": latency,
            "prosody": None if speed is None else Prosody.from_speed_override(speed, config.prosody),
        }.items()
        if value is not None
    }
    body = {"text": text, **dataclasses.asdict(dataclasses.replace(config, **changes))}
    return {name: _without_none(value) for name, value in body.items() if value is not None}


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: item for name, item in value.items() if item is not None}
    return value


def speech_call(path: str, body: Mapping[str, Any], model: str, accept: str = "*/*") -> Call:
    """A request to speak."""
    headers = {"Content-Type": "application/msgpack", "model": model, "Accept": accept}
    return Call("POST", path, headers=headers, content=msgpack.packb(body))


class EventReader:
    """Puts server-sent events together from the bytes of an answer."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, chunk: bytes) -> Iterator[TimedSpeech]:
        self._pending += chunk
        *events, self._pending = self._pending.split(b"\n\n")
        for event in events:
            for line in event.split(b"\n"):
                if line.startswith(b"data:"):
                    yield _timed_speech(json.loads(line[5:]))

    def finish(self) -> None:
        if self._pending.strip():
            raise ConnectionError("The event stream was cut inside an event.")


def _timed_speech(event: Mapping[str, Any]) -> TimedSpeech:
    alignment = event["alignment"]
    return TimedSpeech(
        audio=base64.b64decode(event["audio_base64"]),
        content=event["content"],
        alignment=None if alignment is None else from_wire(Alignment, alignment),
        chunk_seq=event["chunk_seq"],
        chunk_audio_offset_sec=event["chunk_audio_offset_sec"],
    )


def start_frame(body: Mapping[str, Any]) -> bytes:
    packed: bytes = msgpack.packb({"event": "start", "request": body})
    return packed


def text_frame(item: TextItem) -> bytes:
    frame = {"event": "flush"} if isinstance(item, FlushEvent) else _text(item)
    packed: bytes = msgpack.packb(frame)
    return packed


def _text(item: Union[str, TextEvent]) -> dict[str, str]:
    return {"event": "text", "text": item if isinstance(item, str) else item.text}


def stop_frame() -> bytes:
    packed: bytes = msgpack.packb({"event": "stop"})
    return packed


@dataclasses.dataclass(frozen=True)
class Heard:
    """What a frame of the server means."""

    audio: bytes = b""
    is_end: bool = False


def read_frame(message: Union[str, bytes]) -> Heard:
    """Understands a frame of the server. Raises when it tells of an error."""
    if isinstance(message, str):
        return Heard()
    frame = msgpack.unpackb(message)
    if frame.get("event") == "audio":
        return Heard(audio=frame.get("audio") or b"")
    if frame.get("event") != "finish":
        return Heard()
    if frame.get("reason") == "error":
        raise WebSocketError(frame.get("message") or "The server stopped with an error.")
    return Heard(is_end=True)
