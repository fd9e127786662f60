"""Sends requests, retries where that is safe, and converts failures to the errors of this library."""

from __future__ import annotations

import asyncio
import json
import os
import random
import time
import uuid
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import (
    Any,
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Generator,
    Generic,
    Iterator,
    Mapping,
    Optional,
    TypeVar,
)

import httpx

from ._errors import APIError, ConnectionError, MynahError, TimeoutError, error_class
from ._types import RequestOptions

DEFAULT_BASE_URL = "http://127.0.0.1:8080"
USER_AGENT = "mynah/python/0.1.0"
_LONGEST_BACK_OFF_SECONDS = 30.0


@dataclass(frozen=True)
class Call:
    """One request. It can be sent more than once."""

    method: str
    path: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    content: Optional[bytes] = None
    data: Optional[Mapping[str, Any]] = None
    files: Optional[list[tuple[str, tuple[str, bytes]]]] = None
    #: Sent as JSON instead of ``content`` or ``data``.
    json: Optional[Mapping[str, Any]] = None


T = TypeVar("T")


@dataclass(frozen=True)
class Request(Generic[T]):
    """A call and the conversion of its response, shared by both clients."""

    call: Call
    read: Callable[[bytes], T]


def json_request(call: Call, read: Callable[[Any], T]) -> Request[T]:
    """A request with a JSON response; an empty body is ``None``."""
    return Request(call, lambda body: read(json.loads(body) if body else None))


def text_request(call: Call) -> Request[str]:
    """A request with a text response."""
    return Request(call, bytes.decode)


def bytes_request(call: Call) -> Request[bytes]:
    """A request with a file response."""
    return Request(call, bytes)


def silent_request(call: Call) -> Request[None]:
    """A request with an empty response."""
    return Request(call, lambda body: None)


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Removes ``None`` values."""
    return {name: value for name, value in values.items() if value is not None}


class Settings:
    """URL, API key, timeout and retries of a client."""

    def __init__(
        self, api_key: Optional[str], base_url: Optional[str], timeout: float, max_retries: int
    ) -> None:
        key = api_key or os.environ.get("MYNAH_API_KEY") or os.environ.get("FISH_API_KEY")
        if not key:
            raise MynahError("No API key: pass api_key, or set the environment variable MYNAH_API_KEY.")
        self.api_key = key
        self.base_url = (base_url or os.environ.get("MYNAH_BASE_URL") or DEFAULT_BASE_URL).rstrip("/")
        self.timeout = timeout
        self.max_retries = max_retries

    def headers(self, further: Optional[Mapping[str, str]] = None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.api_key}", "User-Agent": USER_AGENT, **(further or {})}

    @property
    def socket_url(self) -> str:
        return "ws" + self.base_url[len("http") :]


class _Attempts:
    """The attempts of one call: the request of each, and the delays between them."""

    def __init__(self, settings: Settings, call: Call, options: Optional[RequestOptions]) -> None:
        options = options or RequestOptions()
        headers = settings.headers(call.headers)
        if call.method == "POST":
            # The same in every attempt, so that the server can distinguish a retry from a second request.
            headers["Idempotency-Key"] = str(uuid.uuid4())
        headers.update(options.additional_headers)
        self.timeout = options.timeout if options.timeout is not None else settings.timeout
        self._left = options.max_retries if options.max_retries is not None else settings.max_retries
        self._back_off = 0.5
        self._request = {
            "method": call.method,
            "url": settings.base_url + call.path,
            "params": {**call.params, **options.additional_query_params},
            "headers": headers,
            "content": call.content,
            "data": call.data,
            "files": call.files,
            "json": call.json,
            "timeout": httpx.Timeout(self.timeout),
        }

    def build(self, client: Any) -> httpx.Request:
        request: httpx.Request = client.build_request(**self._request)
        return request

    def wait_after(self, failure: MynahError, retry_after: Optional[str] = None) -> float:
        """Seconds until the next attempt. Raises the failure after the last attempt."""
        status = failure.status if isinstance(failure, APIError) else None
        is_retryable = isinstance(failure, ConnectionError) or (
            status is not None and (status in (408, 429) or (status >= 500 and status != 501))
        )
        if self._left <= 0 or not is_retryable:
            raise failure
        self._left -= 1
        wait = self._back_off * (0.5 + random.random())
        self._back_off *= 2
        try:
            wait = float(retry_after) if retry_after is not None else wait
        except ValueError:
            pass
        return min(wait, _LONGEST_BACK_OFF_SECONDS)


def _to_error(error: httpx.HTTPError, timeout: float) -> MynahError:
    if isinstance(error, httpx.TimeoutException):
        return TimeoutError(f"The server was silent for {timeout:g} seconds.")
    return ConnectionError(f"The connection to the server failed: {error or type(error).__name__}.")


def api_error(status: int, headers: Mapping[str, str], text: str) -> APIError:
    """Converts an error response to an exception."""
    try:
        message = json.loads(text)["message"]
    except (ValueError, TypeError, KeyError):
        message = text[:200] or f"The server responded with status {status}."
    return error_class(status)(
        status,
        message,
        text,
        code=headers.get("x-fish-error-code"),
        request_id=headers.get("x-fish-trace-id"),
    )


class Transport:
    """Synchronous transport."""

    def __init__(self, settings: Settings, client: Optional[httpx.Client]) -> None:
        self.settings = settings
        self._client = client or httpx.Client()

    def close(self) -> None:
        self._client.close()

    def fetch(self, request: Request[T], options: Optional[RequestOptions] = None) -> T:
        """Returns the converted response."""
        with self.stream(request.call, options) as response:
            return request.read(b"".join(self.read(response, options)))

    @contextmanager
    def stream(self, call: Call, options: Optional[RequestOptions] = None) -> Generator[httpx.Response, None, None]:
        """A successful response that has begun. Leaving the block closes the connection."""
        attempts = _Attempts(self.settings, call, options)
        while True:
            try:
                response = self._client.send(attempts.build(self._client), stream=True)
            except httpx.HTTPError as error:
                time.sleep(attempts.wait_after(_to_error(error, attempts.timeout)))
                continue
            if response.is_success:
                break
            text = response.read().decode(errors="replace")
            failure = api_error(response.status_code, response.headers, text)
            time.sleep(attempts.wait_after(failure, response.headers.get("retry-after")))
        try:
            yield response
        finally:
            response.close()

    def read(self, response: httpx.Response, options: Optional[RequestOptions] = None) -> Iterator[bytes]:
        """The body as a stream. A truncated body raises."""
        try:
            yield from response.iter_bytes()
        except httpx.HTTPError as error:
            timeout = options.timeout if options and options.timeout is not None else self.settings.timeout
            raise _to_error(error, timeout) from error


class AsyncTransport:
    """Asynchronous transport."""

    def __init__(self, settings: Settings, client: Optional[httpx.AsyncClient]) -> None:
        self.settings = settings
        self._client = client or httpx.AsyncClient()

    async def close(self) -> None:
        await self._client.aclose()

    async def fetch(self, request: Request[T], options: Optional[RequestOptions] = None) -> T:
        """Returns the converted response."""
        async with self.stream(request.call, options) as response:
            return request.read(b"".join([chunk async for chunk in self.read(response, options)]))

    @asynccontextmanager
    async def stream(
        self, call: Call, options: Optional[RequestOptions] = None
    ) -> AsyncGenerator[httpx.Response, None]:
        """A successful response that has begun. Leaving the block closes the connection."""
        attempts = _Attempts(self.settings, call, options)
        while True:
            try:
                response = await self._client.send(attempts.build(self._client), stream=True)
            except httpx.HTTPError as error:
                await asyncio.sleep(attempts.wait_after(_to_error(error, attempts.timeout)))
                continue
            if response.is_success:
                break
            text = (await response.aread()).decode(errors="replace")
            failure = api_error(response.status_code, response.headers, text)
            await asyncio.sleep(attempts.wait_after(failure, response.headers.get("retry-after")))
        try:
            yield response
        finally:
            await response.aclose()

    async def read(
        self, response: httpx.Response, options: Optional[RequestOptions] = None
    ) -> AsyncIterator[bytes]:
        """The body as a stream. A truncated body raises."""
        try:
            async for chunk in response.aiter_bytes():
                yield chunk
        except httpx.HTTPError as error:
            timeout = options.timeout if options and options.timeout is not None else self.settings.timeout
            raise _to_error(error, timeout) from error
