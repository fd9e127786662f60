"""The server is started by whoever runs these tests; where it is and what to call it with are in the environment."""

from __future__ import annotations

import os
import time
from pathlib import Path

import httpx
import pytest

URL = os.environ["MYNAH_TEST_URL"]
KEY = os.environ["MYNAH_TEST_KEY"]
POOR_KEY = os.environ["MYNAH_TEST_POOR_KEY"]
LIMITED_KEY = os.environ["MYNAH_TEST_LIMITED_KEY"]
SENTENCE = Path(os.environ["MYNAH_TEST_SENTENCE"])
STORY = Path(os.environ["MYNAH_TEST_STORY"])
LONG_TEXT = "This sentence is one of very many that follow each other. " * 400

AUDIO_STARTS = {"mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3"), "wav": (b"RIFF",), "opus": (b"OggS",)}


def assert_audio(audio: bytes, format: str = "mp3", least: int = 1000) -> None:
    assert len(audio) > least, len(audio)
    assert format == "pcm" or audio.startswith(AUDIO_STARTS[format]), audio[:8]


def assert_nobody_speaks(within_seconds: float = 10) -> None:
    """Whoever left is not spoken to any more."""
    deadline = time.monotonic() + within_seconds
    while any(worker["active"] for worker in httpx.get(f"{URL}/v1/health").json()["workers"]):
        assert time.monotonic() < deadline, "the server goes on speaking"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def sentence() -> bytes:
    return SENTENCE.read_bytes()


@pytest.fixture(scope="session")
def story() -> bytes:
    return STORY.read_bytes()
