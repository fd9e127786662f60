"""Rows of the table of clients: an operation of a package, called with the defaults of its constructor.

Only the URL and the key are set. The arguments of the program are URL KEY WYOMING_URI RECORDING MODULE...
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version

URL, KEY, WYOMING_URI, RECORDING = sys.argv[1:5]
ELEVENLABS = f"{URL}/compat/elevenlabs"
TEXT = "The boat came home at last."
TIMEOUT_SECONDS = 120

Operation = Callable[[], Awaitable[None]]
_rows: list[tuple[str, str, Operation]] = []


def row(package: str, operation: str) -> Callable[[Operation], Operation]:
    """Adds an operation to the table."""

    def add(run: Operation) -> Operation:
        _rows.append((package, operation, run))
        return run

    return add


def require(condition: object, what: str) -> None:
    if not condition:
        raise AssertionError(what)


def require_text(text: str) -> None:
    require("boat" in text.lower(), f"the transcript is wrong: {text}")


def recording() -> bytes:
    with open(RECORDING, "rb") as file:
        return file.read()


async def print_rows() -> None:
    """Runs the operations, and prints one JSON object for each."""
    for package, operation, run in _rows:
        problem = None
        try:
            await asyncio.wait_for(run(), TIMEOUT_SECONDS)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"[:200]
        result = {"client": f"PyPI {package}", "version": version(package), "operation": operation}
        print(json.dumps({**result, "problem": problem}), flush=True)
