"""What can go wrong, as classes."""

from __future__ import annotations

from typing import Optional


class MynahError(Exception):
    """Anything that goes wrong while talking to the server."""


class APIError(MynahError):
    """The server answered with an error."""

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
        #: Stable, such as ``voice_not_found``.
        self.code = code
        #: Names the request in the server's log.
        self.request_id = request_id


class InvalidRequestError(APIError):
    """The request itself is wrong; sending it again will not help."""


class AuthenticationError(APIError):
    """401: no key, or one the server does not take."""


class InsufficientCreditError(APIError):
    """402: the account has too little credit."""


class PermissionError(APIError):
    """403: the key may not do this."""


class NotFoundError(APIError):
    """404: no such voice, job or route."""


class ConflictError(APIError):
    """409: it does not fit the present state."""


class RateLimitError(APIError):
    """429: too much at once."""


class ServerError(APIError):
    """5xx: the server failed or is overloaded."""


class ConnectionError(MynahError):
    """The server could not be reached, or the connection broke before the answer was complete."""


class TimeoutError(MynahError):
    """The server took longer than the client was told to wait."""


class WebSocketError(MynahError):
    """A live session failed."""

    def __init__(self, message: str, *, code: Optional[str] = None) -> None:
        super().__init__(message)
        #: Stable, such as ``insufficient_balance``; ``None`` when the connection broke.
        self.code = code


class DependencyError(MynahError):
    """A program that is needed is not installed."""

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
