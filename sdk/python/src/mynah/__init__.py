"""A client for Mynah, the self-hosted voice AI server.

>>> from mynah import Mynah, save
>>> client = Mynah(api_key="mynah_...", base_url="http://127.0.0.1:8080")  # doctest: +SKIP
>>> save(client.tts.convert(text="Hello!"), "hello.mp3")  # doctest: +SKIP
"""

from ._audio_stream import AsyncAudioStream, AudioStream
from ._client import AsyncFishAudio, AsyncMynah, FishAudio, Mynah
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
    ASRResponse,
    Author,
    Credits,
    FlushEvent,
    Package,
    PaginatedResponse,
    Prosody,
    ReferenceAudio,
    RequestOptions,
    Sample,
    Segment,
    SpeakerTurn,
    TextEvent,
    TimedSpeech,
    TTSConfig,
    Voice,
    WebSocketOptions,
)

#: The names of the official library.
FishAudioError = MynahError
ValidationError = InvalidRequestError

__version__ = "0.1.0"

__all__ = [
    "APIError",
    "ASRResponse",
    "Alignment",
    "AsyncAudioStream",
    "AsyncFishAudio",
    "AsyncMynah",
    "AudioStream",
    "AuthenticationError",
    "Author",
    "ConflictError",
    "ConnectionError",
    "Credits",
    "DependencyError",
    "FishAudio",
    "FishAudioError",
    "FlushEvent",
    "InsufficientCreditError",
    "InvalidRequestError",
    "Mynah",
    "MynahError",
    "NotFoundError",
    "Package",
    "PaginatedResponse",
    "PermissionError",
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
    "ValidationError",
    "Voice",
    "WebSocketError",
    "WebSocketOptions",
    "__version__",
    "play",
    "save",
    "stream",
]
