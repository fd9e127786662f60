"""Types of requests and responses."""

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
    """A reference recording of a voice, and its transcript."""

    audio: bytes
    text: str = ""


@dataclass(frozen=True)
class Prosody:
    """Speaking rate (0.5 to 2) and volume in decibels (-20 to 20)."""

    speed: float = 1.0
    volume: float = 0.0
    normalize_loudness: Optional[bool] = None

    @classmethod
    def from_speed_override(cls, speed: float, base: Optional[Prosody] = None) -> Prosody:
        """Returns a copy with another speaking rate."""
        return dataclasses.replace(base or cls(), speed=speed)


@dataclass(frozen=True)
class TTSConfig:
    """Reusable options of synthesis. ``None`` selects the server's default."""

    format: AudioFormat = "mp3"
    sample_rate: Optional[int] = None
    mp3_bitrate: Optional[Literal[64, 128, 192]] = None
    opus_bitrate: Optional[int] = None
    normalize: bool = True
    chunk_length: Optional[int] = None
    latency: LatencyMode = "balanced"
    reference_id: Union[str, list[str], None] = None
    references: list[ReferenceAudio] = field(default_factory=list[ReferenceAudio])
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
    """Synthesizes the text sent so far."""


@dataclass(frozen=True)
class WebSocketOptions:
    """Options of the socket of a live session."""

    keepalive_ping_timeout_seconds: Optional[float] = 20.0
    keepalive_ping_interval_seconds: Optional[float] = 20.0
    max_message_size_bytes: Optional[int] = None
    queue_size: Optional[int] = None


@dataclass(frozen=True)
class RequestOptions:
    """Options of one call that override those of the client."""

    timeout: Optional[float] = None
    max_retries: Optional[int] = None
    additional_headers: Mapping[str, str] = field(default_factory=dict[str, str])
    additional_query_params: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Segment:
    """A word with its start and end in seconds."""

    text: str
    start: float
    end: float
    char_start: Optional[int] = None
    char_end: Optional[int] = None
    confidence: Optional[float] = None


@dataclass(frozen=True)
class Alignment:
    """The words of a chunk of text, with times relative to the start of the chunk."""

    segments: list[Segment]
    audio_duration: float


@dataclass(frozen=True)
class TimedSpeech:
    """A chunk of audio with word times. ``alignment`` replaces an earlier one of the same ``chunk_seq``."""

    audio: bytes
    content: str
    alignment: Optional[Alignment]
    chunk_seq: int
    chunk_audio_offset_sec: float


@dataclass(frozen=True)
class Phrase:
    """A segment between two pauses."""

    text: str
    start: float
    end: float
    confidence: float
    language_code: str
    words: list[Segment]
    speaker: Optional[str] = None


@dataclass(frozen=True)
class SpeakerTurn:
    """A turn of one speaker."""

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
    #: Segments between pauses; only in the format ``verbose``.
    phrases: Optional[list[Phrase]] = None


@dataclass(frozen=True)
class ASRJob:
    """A transcription in the background."""

    id: str
    status: Literal["queued", "running", "finished", "failed", "cancelled"]
    #: 0 to 1.
    progress: float
    #: Transcribed seconds of the recording.
    heard: float
    created_at: datetime.datetime
    finished_at: Optional[datetime.datetime]
    #: The complete transcription when ``finished``, the transcription so far before that.
    result: ASRResponse
    #: The error of a failed job: ``code`` and ``message``.
    error: Optional[Mapping[str, str]] = None


@dataclass(frozen=True)
class ASRProgress:
    """Progress of a transcription: 0 to 1, and transcribed seconds."""

    progress: float
    heard: float


@dataclass(frozen=True)
class UsageItem:
    """Usage of one service within a group."""

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
    """Usage and its cost in US dollars."""

    items: list[UsageItem]
    cost: decimal.Decimal


@dataclass(frozen=True)
class Health:
    """The state of the server."""

    status: Literal["ok", "loading", "degraded"]
    live: bool
    #: Whether the server can synthesize now.
    ready: bool
    version: str


@dataclass(frozen=True)
class Sample:
    """A sample recording of a voice."""

    title: str
    text: str
    task_id: str
    audio: str


@dataclass(frozen=True)
class Author:
    """The author of a voice."""

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
    """A designed voice. ``voices.create`` stores it by ``audio`` and ``signature``."""

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
    """Designed voices, and which words of the instruction were applied."""

    candidates: list[DesignCandidate]
    #: The same seed returns the same candidates.
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
    """The remaining credit, in US dollars."""

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
    """Creates a dataclass from the server's JSON. Unknown fields are omitted; ``_id`` becomes ``id``."""
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
        # Python 3.9 does not parse the "Z" of UTC.
        return datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    if hint is decimal.Decimal:
        return decimal.Decimal(value)
    return value
