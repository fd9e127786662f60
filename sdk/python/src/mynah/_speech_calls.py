"""The requests of text to speech, shared by both clients."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import Any, Union, cast

from ._choices import ConversionChoices, DubChoices, SpeechChoices
from ._errors import WebSocketError
from ._msgpack import pack, unpack
from ._transport import Call, given
from ._types import (
    Alignment,
    FlushEvent,
    Prosody,
    TextEvent,
    TimedSpeech,
    TTSConfig,
    from_wire,
)

TextItem = Union[str, TextEvent, FlushEvent]

DEFAULT_CONFIG = TTSConfig()
DEFAULT_MODEL = "s2-pro"


def speech_body(text: str, choices: SpeechChoices) -> dict[str, Any]:
    """The body of a request. Keyword arguments take precedence over the config."""
    config = choices.get("config", DEFAULT_CONFIG)
    speed = choices.get("speed")
    changes: dict[str, Any] = {
        name: value
        for name, value in {
            "reference_id": choices.get("reference_id"),
            "references": choices.get("references"),
            "format": choices.get("format"),
            "latency": choices.get("latency"),
            "prosody": None if speed is None else Prosody.from_speed_override(speed, config.prosody),
        }.items()
        if value is not None
    }
    body = {"text": text, **dataclasses.asdict(dataclasses.replace(config, **changes))}
    return {name: _without_none(value) for name, value in body.items() if value is not None}


def _without_none(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    return {name: item for name, item in fields.items() if item is not None}


def dub_call(captions: str, choices: DubChoices) -> Call:
    """A request to speak captions at their times."""
    fields = {name: value for name, value in choices.items() if name != "model"}
    headers = given({"model": choices.get("model")})
    return Call("POST", "/v1/dub", headers=headers, json=given({"captions": captions, **fields}))


def conversion_call(audio: bytes, choices: ConversionChoices) -> Call:
    """A request to speak a recording with another voice."""
    fields = given({name: value for name, value in choices.items() if name != "model"})
    # In forms, true is a text in lower case.
    data = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in fields.items()
    }
    headers = given({"model": choices.get("model")})
    files = [("audio", ("audio", audio))]
    return Call("POST", "/v1/speech-to-speech", headers=headers, data=data, files=files)


def speech_call(path: str, text: str, choices: SpeechChoices, accept: str = "*/*") -> Call:
    """A speech request."""
    model = choices.get("model", DEFAULT_MODEL)
    headers = {"Content-Type": "application/msgpack", "model": model, "Accept": accept}
    return Call("POST", path, headers=headers, content=pack(speech_body(text, choices)))


def timed_speech(data: str) -> TimedSpeech:
    """Converts the data of an event."""
    event = json.loads(data)
    alignment = event["alignment"]
    return TimedSpeech(
        audio=base64.b64decode(event["audio_base64"]),
        content=event["content"],
        alignment=None if alignment is None else from_wire(Alignment, alignment),
        chunk_seq=event["chunk_seq"],
        chunk_audio_offset_sec=event["chunk_audio_offset_sec"],
    )


def start_frame(choices: SpeechChoices) -> bytes:
    return pack({"event": "start", "request": speech_body("", choices)})


def text_frame(item: TextItem) -> bytes:
    frame = {"event": "flush"} if isinstance(item, FlushEvent) else _text(item)
    return pack(frame)


def _text(item: Union[str, TextEvent]) -> dict[str, str]:
    return {"event": "text", "text": item if isinstance(item, str) else item.text}


def stop_frame() -> bytes:
    return pack({"event": "stop"})


@dataclasses.dataclass(frozen=True)
class Heard:
    """A decoded frame of the server."""

    audio: bytes = b""
    is_end: bool = False


def read_frame(message: Union[str, bytes]) -> Heard:
    """Decodes a frame of the server. Raises the error of an error frame."""
    if isinstance(message, str):
        return Heard()
    frame = unpack(message)
    if frame.get("event") == "audio":
        return Heard(audio=frame.get("audio") or b"")
    if frame.get("event") != "finish":
        return Heard()
    if frame.get("reason") == "error":
        raise WebSocketError(
            frame.get("message") or "The server stopped with an error.", code=frame.get("code")
        )
    return Heard(is_end=True)
