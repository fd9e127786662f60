"""The module `types` of the official library, without the events of its WebSocket."""

from typing import Literal

from ._types import (
    ASRResponse,
    AudioFormat,
    Author,
    Credits,
    FlushEvent,
    LatencyMode,
    ModelState,
    Package,
    PaginatedResponse,
    Prosody,
    ReferenceAudio,
    Sample,
    TextEvent,
    TTSConfig,
    Visibility,
    Voice,
)
from ._types import Segment as ASRSegment

#: A model of speech; a server may have others.
Model = Literal["s1", "s2-pro", "s2.1-pro", "s2.1-pro-free"]
TrainMode = Literal["fast", "full"]

__all__ = [
    "ASRResponse",
    "ASRSegment",
    "AudioFormat",
    "Author",
    "Credits",
    "FlushEvent",
    "LatencyMode",
    "Model",
    "ModelState",
    "Package",
    "PaginatedResponse",
    "Prosody",
    "ReferenceAudio",
    "Sample",
    "TTSConfig",
    "TextEvent",
    "TrainMode",
    "Visibility",
    "Voice",
]
