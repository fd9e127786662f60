"""MessagePack with types; the package ``msgpack`` has none."""

from __future__ import annotations

from typing import Any, Mapping

import msgpack  # pyright: ignore[reportMissingTypeStubs]

_untyped: Any = msgpack


def pack(value: Mapping[str, Any]) -> bytes:
    packed: bytes = _untyped.packb(value)
    return packed


def unpack(data: bytes) -> dict[str, Any]:
    value: dict[str, Any] = _untyped.unpackb(data)
    return value
