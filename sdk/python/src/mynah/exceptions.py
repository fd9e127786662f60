"""The module `exceptions` of the official library."""

from . import FishAudioError, ValidationError
from ._errors import (
    APIError,
    AuthenticationError,
    DependencyError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    ServerError,
    WebSocketError,
)

__all__ = [
    "APIError",
    "AuthenticationError",
    "DependencyError",
    "FishAudioError",
    "NotFoundError",
    "PermissionError",
    "RateLimitError",
    "ServerError",
    "ValidationError",
    "WebSocketError",
]
