"""What is sent and what comes back."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import typing
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Mapping, Optional, TypeVar, Union

AudioFormat = Literal["mp3", "wav", "pcm", "opus", "flac"]
LatencyMode = Literal["normal", "balanced", "low"]
Visibility = Literal["public", "unlist", "private"]
ModelState = Literal["created", "training", "trained", "failed"]

T = TypeVar("T")


@dataclass(frozen=True)
class ReferenceAudio:
    """A recording of the voice to speak with, and what is said in it."""

    audio: bytes
    text: str = ""


@dataclass(frozen=True)
class Prosody:
    """Pace (0.5 to 2) and volume in decibels (-20 to 20)."""

    speed: float = 1.0
    volume: float = 0.0
    normalize_loudness: Optional[bool] = None

    @classmethod
    def from_speed_override(cls, speed: float, base: Optional[Prosody] = None) -> Prosody:
        """The same with another pace."""
        return dataclasses.replace(base or cls(), speed=speed)


@dataclass(frozen=True)
class TTSConfig:
    """How to speak; made once and used for many texts. ``None`` leaves a choice to the server."""

    format: AudioFormat = "mp3"
    sample_rate: Optional[int] = None
    mp3_bitrate: Optional[Literal[64, 128, 192]] = None
    opus_bitrate: Optional[int] = None
    normalize: bool = True
    chunk_length: Optional[int] = None
    latency: LatencyMode = "balanced"
    reference_id: Union[str, list[str], None] = None
    references: list[ReferenceAudio] = field(default_factory=list)
    prosody: Optional[Prosody] = None
    top_p: Optional[float] = None
    temperature: Optional[float] = None
    max_new_tokens: Optional[int] = None
    repetition_penalty: Optional[float] = None
    min_chunk_length: Optional[int] = None
    condition_on_previous_chunks: Optional[bool] = None
    early_stop_threshold: Optional[float] = None
    seed: Optional[int] = None
    language: Optional[str] = None


@dataclass(frozen=True)
class TextEvent:
    """The next text of a live session."""

    text: str


@dataclass(frozen=True)
class FlushEvent:
    """Speak what has been sent so far."""


@dataclass(frozen=True)
class WebSocketOptions:
    """How a live session's socket is kept."""

    keepalive_ping_timeout_seconds: Optional[float] = 20.0
    keepalive_ping_interval_seconds: Optional[float] = 20.0
    max_message_size_bytes: Optional[int] = None
    queue_size: Optional[int] = None


@dataclass(frozen=True)
class RequestOptions:
    """How one call differs from the client's own settings."""

    timeout: Optional[float] = None
    max_retries: Optional[int] = None
    additional_headers: Mapping[str, str] = field(default_factory=dict)
    additional_query_params: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Segment:
    """A word, and when it is heard, in seconds."""

    text: str
    start: float
    end: float
    char_start: Optional[int] = None
    char_end: Optional[int] = None
    confidence: Optional[float] = None


@dataclass(frozen=True)
class Alignment:
    """The words of a stretch of text, with times from the start of that stretch."""

    segments: list[Segment]
    audio_duration: float


@dataclass(frozen=True)
class TimedSpeech:
    """The next audio with the times of its words. ``alignment`` replaces what came before for the same ``chunk_seq``."""

    audio: bytes
    content: str
    alignment: Optional[Alignment]
    chunk_seq: int
    chunk_audio_offset_sec: float


@dataclass(frozen=True)
class Phrase:
    """What was said between two pauses."""

    text: str
    start: float
    end: float
    confidence: float
    language_code: str
    words: list[Segment]
    speaker: Optional[str] = None


@dataclass(frozen=True)
class SpeakerTurn:
    """What one speaker said."""

    speaker: str
    text: str
    start: float
    end: float


@dataclass(frozen=True)
class ASRResponse:
    """A transcript. ``duration`` is in seconds."""

    text: str
    duration: float
    segments: list[Segment]
    language_code: Optional[str] = None
    language: Optional[str] = None
    speaker_turns: Optional[list[SpeakerTurn]] = None
    request_id: Optional[str] = None
    #: What was said between pauses; only in the format ``verbose``.
    phrases: Optional[list[Phrase]] = None


@dataclass(frozen=True)
class ASRJob:
    """A recording that is transcribed in the background."""

    id: str
    status: Literal["queued", "running", "finished", "failed", "cancelled"]
    #: 0 to 1.
    progress: float
    #: Seconds of the recording that have been heard.
    heard: float
    created_at: datetime.datetime
    finished_at: Optional[datetime.datetime]
    #: All of it when ``finished``; what was heard so far before that.
    result: ASRResponse
    #: Why it failed: ``code`` and ``message``.
    error: Optional[Mapping[str, str]] = None


@dataclass(frozen=True)
class ASRProgress:
    """How far a transcription is: 0 to 1, and seconds of the recording."""

    progress: float
    heard: float


@dataclass(frozen=True)
class UsageItem:
    """What was used of one service, within the groups that were asked for."""

    service: str
    requests: int
    #: Bytes of text, seconds of audio, or requests.
    units: int
    cost: decimal.Decimal
    day: Optional[str] = None
    account: Optional[str] = None
    key: Optional[str] = None
    model: Optional[str] = None
    voice: Optional[str] = None


@dataclass(frozen=True)
class Usage:
    """What was used, and what it cost in US dollars."""

    items: list[UsageItem]
    cost: decimal.Decimal


@dataclass(frozen=True)
class Health:
    """How the server is."""

    status: Literal["ok", "loading", "degraded"]
    live: bool
    #: A request to speak would be served now.
    ready: bool
    version: str


@dataclass(frozen=True)
class Sample:
    """A recording that lets one hear a voice."""

    title: str
    text: str
    task_id: str
    audio: str


@dataclass(frozen=True)
class Author:
    """Who made a voice."""

    id: str
    nickname: str
    avatar: str


@dataclass(frozen=True)
class Voice:
    """A voice; its ``id`` is the ``reference_id`` of a request."""

    id: str
    type: str
    title: str
    description: str
    cover_image: str
    train_mode: str
    state: ModelState
    tags: list[str]
    samples: list[Sample]
    created_at: datetime.datetime
    updated_at: datetime.datetime
    languages: list[str]
    visibility: Visibility
    lock_visibility: bool
    like_count: int
    mark_count: int
    shared_count: int
    task_count: int
    author: Author
    liked: bool = False
    marked: bool = False


@dataclass(frozen=True)
class DesignCandidate:
    """A voice to choose. ``audio`` and ``signature`` are what ``voices.create`` keeps it by."""

    id: str
    index: int
    #: A complete WAV file.
    audio: bytes
    sample_rate: int
    duration_ms: int
    text: str
    features: dict[str, Any]
    signature: str


@dataclass(frozen=True)
class VoiceDesign:
    """Voices that were made up, and which words of the instruction were followed."""

    candidates: list[DesignCandidate]
    #: Gives these candidates again.
    seed: int
    understood: list[str]
    ignored: list[str]


@dataclass(frozen=True)
class PaginatedResponse(Generic[T]):
    """One page of a list."""

    total: int
    items: list[T]


@dataclass(frozen=True)
class Credits:
    """The credit that is left, in US dollars."""

    id: str
    user_id: str
    credit: decimal.Decimal
    created_at: str
    updated_at: str
    has_phone_sha256: Optional[bool] = None
    has_free_credit: Optional[bool] = None


@dataclass(frozen=True)
class Package:
    """The plan of the account."""

    id: str
    user_id: str
    type: str
    total: int
    balance: int
    created_at: str
    updated_at: str
    finished_at: Optional[str] = None


D = TypeVar("D")


def from_wire(cls: type[D], value: Any) -> D:
    """A dataclass from the server's JSON. Fields we do not know are left out; ``_id`` becomes ``id``."""
    hints = typing.get_type_hints(cls)
    fields: dict[str, Any] = {}
    for item in dataclasses.fields(cls):  # type: ignore[arg-type]
        name = "_id" if item.name == "id" and "_id" in value else item.name
        if name in value:
            fields[item.name] = _convert(hints[item.name], value[name])
    return cls(**fields)


def _convert(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is Union:
        return _convert(next(argument for argument in arguments if argument is not type(None)), value)
    if typing.get_origin(hint) is list:
        return [_convert(arguments[0], item) for item in value]
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return from_wire(hint, value)
    if hint is datetime.datetime:
        # Python 3.9 does not read the "Z" of UTC.
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    if hint is decimal.Decimal:
        return decimal.Decimal(value)
    return value
