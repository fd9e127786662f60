"""What happens when the server or the connection misbehaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

import mynah
from conftest import BadServer
from mynah import AsyncMynah, Mynah, RequestOptions


def fail(request: BaseHTTPRequestHandler, status: int, retry_after: str = "0") -> None:
    body = json.dumps({"status": status, "message": f"No: {status}"}).encode()
    request.send_response(status)
    request.send_header("retry-after", retry_after)
    request.send_header("x-fish-error-code", "some_code")
    request.send_header("x-fish-trace-id", "abc")
    request.send_header("content-length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def succeed(request: BaseHTTPRequestHandler, body: bytes) -> None:
    request.send_response(200)
    request.send_header("content-length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def break_off(request: BaseHTTPRequestHandler, attempt: int) -> None:
    request.send_response(200)
    request.send_header("content-length", "1000")
    request.end_headers()
    request.wfile.write(b"half")
    request.wfile.flush()
    request.connection.close()


def test_a_busy_server_is_asked_again_with_the_same_idempotency_key(bad_server: BadServer) -> None:
    bad_server.answer = lambda request, attempt: (
        fail(request, 429) if attempt < 3 else succeed(request, b"audio")
    )
    client = Mynah(api_key="key", base_url=bad_server.url)
    assert client.tts.convert(text="x") == b"audio"
    keys = [headers["idempotency-key"] for headers in bad_server.seen]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert bad_server.seen[0]["authorization"] == "Bearer key"


def test_when_it_stays_busy_the_error_tells_status_code_and_request_id(bad_server: BadServer) -> None:
    bad_server.answer = lambda request, attempt: fail(request, 503)
    client = Mynah(api_key="key", base_url=bad_server.url, max_retries=1)
    with pytest.raises(mynah.ServerError) as caught:
        client.account.get_credits()
    assert (caught.value.status, caught.value.code, caught.value.request_id) == (503, "some_code", "abc")
    assert len(bad_server.seen) == 2


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, mynah.InvalidRequestError),
        (401, mynah.AuthenticationError),
        (402, mynah.InsufficientCreditError),
        (403, mynah.PermissionError),
        (404, mynah.NotFoundError),
        (409, mynah.ConflictError),
        (422, mynah.InvalidRequestError),
    ],
)
def test_a_refusal_has_its_class_and_is_not_repeated(
    bad_server: BadServer, status: int, kind: type[mynah.APIError]
) -> None:
    bad_server.answer = lambda request, attempt: fail(request, status)
    client = Mynah(api_key="key", base_url=bad_server.url)
    with pytest.raises(kind):
        client.tts.convert(text="x")
    assert len(bad_server.seen) == 1


def test_a_body_that_breaks_off_raises_and_leaves_no_file(bad_server: BadServer, tmp_path: Path) -> None:
    bad_server.answer = break_off
    client = Mynah(api_key="key", base_url=bad_server.url)
    with pytest.raises(mynah.ConnectionError):
        mynah.save(client.tts.stream(text="x"), tmp_path / "out.mp3")
    assert list(tmp_path.iterdir()) == []


def test_a_body_that_breaks_off_raises_asynchronously_too(bad_server: BadServer) -> None:
    bad_server.answer = break_off

    async def run() -> None:
        async with AsyncMynah(api_key="key", base_url=bad_server.url) as client:
            await client.tts.convert(text="x")

    with pytest.raises(mynah.ConnectionError):
        asyncio.run(run())


def test_a_transcription_that_breaks_off_raises(bad_server: BadServer) -> None:
    def half(request: BaseHTTPRequestHandler, attempt: int) -> None:
        request.send_response(200)
        request.send_header("connection", "close")
        request.end_headers()
        request.wfile.write(b'event: progress\ndata: {"progress": 0.5, "heard": 3}\n\n')

    bad_server.answer = half
    client = Mynah(api_key="key", base_url=bad_server.url)
    events = client.asr.follow(audio=b"x")
    assert next(events) == mynah.ASRProgress(0.5, 3)
    with pytest.raises(mynah.ConnectionError):
        next(events)


def test_an_error_event_is_an_error(bad_server: BadServer) -> None:
    data = json.dumps({"status": 503, "message": "No more.", "code": "engine_failed"})
    bad_server.answer = lambda request, attempt: succeed(request, f"event: error\ndata: {data}\n\n".encode())
    client = Mynah(api_key="key", base_url=bad_server.url)
    with pytest.raises(mynah.ServerError) as caught:
        list(client.tts.stream_with_timestamps(text="x"))
    assert (caught.value.code, caught.value.message) == ("engine_failed", "No more.")


def test_a_live_session_that_breaks_off_raises_and_leaves_no_file(broken_socket: str, tmp_path: Path) -> None:
    client = Mynah(api_key="key", base_url=broken_socket)
    with pytest.raises(mynah.WebSocketError):
        mynah.save(client.tts.stream_websocket(iter(["x"])), tmp_path / "out.mp3")
    assert list(tmp_path.iterdir()) == []


def test_a_live_session_that_breaks_off_raises_asynchronously_too(broken_socket: str) -> None:
    async def texts() -> AsyncIterator[str]:
        yield "x"

    async def run() -> list[bytes]:
        async with AsyncMynah(api_key="key", base_url=broken_socket) as client:
            return [chunk async for chunk in client.tts.stream_websocket(texts())]

    with pytest.raises(mynah.WebSocketError):
        asyncio.run(run())


def test_a_silent_server_is_given_up(bad_server: BadServer) -> None:
    import time

    bad_server.answer = lambda request, attempt: time.sleep(2)
    client = Mynah(api_key="key", base_url=bad_server.url)
    with pytest.raises(mynah.TimeoutError):
        client.tts.convert(text="x", request_options=RequestOptions(timeout=0.2, max_retries=0))


def test_a_server_that_is_not_there_is_a_connection_error() -> None:
    client = Mynah(api_key="key", base_url="http://127.0.0.1:9", max_retries=0)
    with pytest.raises(mynah.ConnectionError):
        client.tts.convert(text="x")
    with pytest.raises(mynah.ConnectionError):
        list(client.tts.stream_websocket(iter(["x"])))


def test_without_a_key_there_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MYNAH_API_KEY", raising=False)
    monkeypatch.delenv("FISH_API_KEY", raising=False)
    with pytest.raises(mynah.MynahError, match="MYNAH_API_KEY"):
        Mynah()
