"""Error classes."""

from __future__ import annotations

from typing import Optional


class MynahError(Exception):
    """The base class of all errors of this library."""


class APIError(MynahError):
    """An error response of the server."""

    def __init__(
        self,
        status: int,
        message: str,
        body: Optional[str] = None,
        *,
        code: Optional[str] = None,
        request_id: Optional[str] = None,
    ) -> None:
        super().__init__(f"HTTP {status}: {message}")
        self.status = status
        self.message = message
        self.body = body
        #: Stable error code, such as ``voice_not_found``.
        self.code = code
        #: Identifies the request in the server's log.
        self.request_id = request_id


class InvalidRequestError(APIError):
    """The request is invalid; a retry does not help."""


class AuthenticationError(APIError):
    """401: the key is missing or invalid."""


class InsufficientCreditError(APIError):
    """402: insufficient credit."""


class PermissionError(APIError):
    """403: the key lacks the scope."""


class NotFoundError(APIError):
    """404: no such voice, job or route."""


class ConflictError(APIError):
    """409: a conflict with the current state."""


class RateLimitError(APIError):
    """429: a rate or concurrency limit."""


class ServerError(APIError):
    """5xx: the server failed or is overloaded."""


class ConnectionError(MynahError):
    """The server could not be reached, or the connection broke before the response was complete."""


class TimeoutError(MynahError):
    """The server did not respond within the timeout."""


class WebSocketError(MynahError):
    """A live session failed."""

    def __init__(self, message: str, *, code: Optional[str] = None) -> None:
        super().__init__(message)
        #: Stable error code, such as ``insufficient_balance``; ``None`` when the connection broke.
        self.code = code


class DependencyError(MynahError):
    """A required program is not installed."""

    def __init__(self, dependency: str, install_command: str) -> None:
        super().__init__(f"{dependency} is not installed. Install it with: {install_command}")
        self.dependency = dependency
        self.install_command = install_command


_BY_STATUS: dict[int, type[APIError]] = {
    401: AuthenticationError,
    402: InsufficientCreditError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}


def error_class(status: int) -> type[APIError]:
    """The error class for a status."""
    if status >= 500:
        return ServerError
    return _BY_STATUS.get(status, InvalidRequestError)
