"""Server-sent events."""

from __future__ import annotations

import json
from typing import Iterator

from ._errors import ConnectionError
from ._transport import api_error


class EventReader:
    """Parses server-sent events from the bytes of a response."""

    def __init__(self) -> None:
        self._pending = b""

    def feed(self, chunk: bytes) -> Iterator[tuple[str, str]]:
        """Yields name and data of each complete event. Raises the error of an ``error`` event."""
        self._pending += chunk
        *events, self._pending = self._pending.split(b"\n\n")
        for event in events:
            name, data = "message", ""
            for line in event.decode().split("\n"):
                if line.startswith("event:"):
                    name = line[len("event:") :].strip()
                elif line.startswith("data:"):
                    data += line[len("data:") :]
            if name == "error":
                error = json.loads(data)
                raise api_error(error["status"], {"x-fish-error-code": error.get("code", "")}, data)
            if data:
                yield name, data

    def finish(self) -> None:
        """Raises when the stream ended inside an event."""
        if self._pending.strip():
            raise ConnectionError("The event stream was cut inside an event.")
