"""The keyword arguments that the synchronous and the asynchronous clients share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, TypedDict, Union

from ._types import AudioFormat, LatencyMode, ReferenceAudio, RequestOptions, TTSConfig, Visibility

if TYPE_CHECKING:
    from typing_extensions import Required


class SpeechChoices(TypedDict, total=False):
    """Options of synthesis. They take precedence over ``config``."""

    reference_id: Union[str, list[str], None]
    references: Optional[list[ReferenceAudio]]
    format: Optional[AudioFormat]
    latency: Optional[LatencyMode]
    speed: Optional[float]
    config: TTSConfig
    model: str


class DubChoices(TypedDict, total=False):
    """How captions are spoken."""

    reference_id: Optional[str]
    #: Voices by speaker.
    speakers: Optional[dict[str, str]]
    #: Maximum speaking rate of captions that need one; 1.3 by default.
    max_speed: Optional[float]
    format: Optional[AudioFormat]
    language: Optional[str]
    seed: Optional[int]
    model: Optional[str]


class ConversionChoices(TypedDict, total=False):
    """How a recording is spoken with another voice."""

    reference_id: Optional[str]
    language: Optional[str]
    #: Whether the melody of the recording is imitated; true by default.
    keep_pitch: Optional[bool]
    format: Optional[AudioFormat]
    seed: Optional[int]
    model: Optional[str]


class RecordingChoices(TypedDict, total=False):
    """Options of a transcription."""

    audio: Required[bytes]
    language: Optional[str]
    include_timestamps: bool
    prompt: Optional[str]
    vocabulary: Optional[list[str]]
    diarize: Optional[bool]
    model: Optional[str]
    request_options: Optional[RequestOptions]


class VoiceQuery(TypedDict, total=False):
    """A filter of voices."""

    page_size: int
    title: Optional[str]
    tags: Union[list[str], str, None]
    self_only: bool
    author_id: Optional[str]
    language: Union[list[str], str, None]
    title_language: Union[list[str], str, None]
    sort_by: str
    request_options: Optional[RequestOptions]


class VoicePageQuery(VoiceQuery, total=False):
    """The page of a list."""

    page_number: int


class VoiceChanges(TypedDict, total=False):
    """Changes of a voice."""

    title: Optional[str]
    description: Optional[str]
    cover_image: Optional[bytes]
    visibility: Optional[Visibility]
    tags: Optional[list[str]]
    request_options: Optional[RequestOptions]


class NewVoice(TypedDict, total=False):
    """A voice to clone from recordings."""

    title: Required[str]
    voices: Required[list[bytes]]
    description: Optional[str]
    texts: Optional[list[str]]
    tags: Optional[list[str]]
    cover_image: Optional[bytes]
    visibility: Visibility
    train_mode: str
    enhance_audio_quality: bool
    #: For candidates of ``voices.design``: the signature of each.
    voice_design_signatures: Optional[list[str]]
    request_options: Optional[RequestOptions]


class VoiceDesignRequest(TypedDict, total=False):
    """A voice to design."""

    #: The voice in plain English.
    instruction: Required[str]
    #: Text of the audio of the candidates.
    reference_text: Optional[str]
    language: Optional[str]
    #: Number of candidates, 1 to 4.
    n: int
    speed: float
    seed: Optional[int]
    request_options: Optional[RequestOptions]


class UsageQuery(TypedDict, total=False):
    """The period and grouping of a usage report. Days are ``YYYY-MM-DD``; ``to`` is exclusive."""

    from_: Optional[str]
    to: Optional[str]
    #: Grouping, such as ``day,model``.
    by: Optional[str]
    request_options: Optional[RequestOptions]
