"""A client for Mynah, the self-hosted voice AI server.

>>> from mynah import Mynah, save
>>> client = Mynah(api_key="mynah_...", base_url="http://127.0.0.1:8080")  # doctest: +SKIP
>>> save(client.tts.convert(text="Hello!"), "hello.mp3")  # doctest: +SKIP
"""

from ._admin import AdminAccount, AdminKey, LedgerReport, Wallet
from ._audio_stream import AsyncAudioStream, AudioStream
from ._audiobooks import Audiobook, AudiobookChapter
from ._client import AsyncFishAudio, AsyncMynah, FishAudio, Mynah
from ._dictionaries import Dictionary, DictionaryVersion, PronunciationRule
from ._errors import (
    APIError,
    AuthenticationError,
    ConflictError,
    ConnectionError,
    DependencyError,
    InsufficientCreditError,
    InvalidRequestError,
    MynahError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    ServerError,
    TimeoutError,
    WebSocketError,
)
from ._playback import play, save, stream
from ._types import (
    Alignment,
    ASRJob,
    ASRProgress,
    ASRResponse,
    Author,
    Credits,
    DesignCandidate,
    FlushEvent,
    Health,
    Package,
    PaginatedResponse,
    Phrase,
    Prosody,
    ReferenceAudio,
    RequestOptions,
    Sample,
    Segment,
    SpeakerTurn,
    TextEvent,
    TimedSpeech,
    TTSConfig,
    Usage,
    UsageItem,
    Voice,
    VoiceDesign,
    WebSocketOptions,
)

#: The names of the official library.
FishAudioError = MynahError
ValidationError = InvalidRequestError

__version__ = "0.1.0"

__all__ = [
    "APIError",
    "ASRJob",
    "ASRProgress",
    "ASRResponse",
    "AdminAccount",
    "AdminKey",
    "Alignment",
    "AsyncAudioStream",
    "AsyncFishAudio",
    "AsyncMynah",
    "AudioStream",
    "Audiobook",
    "AudiobookChapter",
    "AuthenticationError",
    "Author",
    "ConflictError",
    "ConnectionError",
    "Credits",
    "DesignCandidate",
    "DependencyError",
    "Dictionary",
    "DictionaryVersion",
    "FishAudio",
    "FishAudioError",
    "FlushEvent",
    "Health",
    "InsufficientCreditError",
    "InvalidRequestError",
    "LedgerReport",
    "Mynah",
    "MynahError",
    "NotFoundError",
    "Package",
    "PaginatedResponse",
    "PermissionError",
    "Phrase",
    "PronunciationRule",
    "Prosody",
    "RateLimitError",
    "ReferenceAudio",
    "RequestOptions",
    "Sample",
    "Segment",
    "ServerError",
    "SpeakerTurn",
    "TTSConfig",
    "TextEvent",
    "TimedSpeech",
    "TimeoutError",
    "Usage",
    "UsageItem",
    "ValidationError",
    "Voice",
    "VoiceDesign",
    "Wallet",
    "WebSocketError",
    "WebSocketOptions",
    "__version__",
    "play",
    "save",
    "stream",
]
