"""The caller of the tests starts the server; its address and key are in the environment."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR
from typing import Callable

import msgpack
import pytest
from websockets.sync.server import ServerConnection, serve

from mynah import Mynah

Answer = Callable[[BaseHTTPRequestHandler, int], None]


@pytest.fixture
def client() -> Iterator[Mynah]:
    with Mynah(api_key=os.environ["MYNAH_TEST_KEY"], base_url=os.environ["MYNAH_TEST_URL"]) as client:
        yield client


class BadServer:
    """A server that answers as a test says, and keeps the headers of what it was asked."""

    def __init__(self) -> None:
        self.answer: Answer = lambda request, attempt: None
        self.seen: list[dict[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                outer.seen.append({name.lower(): value for name, value in self.headers.items()})
                outer.answer(self, len(outer.seen))

            do_GET = do_POST = handle_any

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def bad_server() -> Iterator[BadServer]:
    server = BadServer()
    yield server
    server.close()


@pytest.fixture
def broken_socket() -> Iterator[str]:
    """The address of a server whose live sessions break after their first audio."""

    def answer(socket: ServerConnection) -> None:
        socket.recv()
        socket.send(msgpack.packb({"event": "audio", "audio": b"half"}))
        socket.socket.shutdown(SHUT_RDWR)

    with serve(answer, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.socket.getsockname()[1]}"
