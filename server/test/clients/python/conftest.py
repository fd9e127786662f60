"""Fixtures. The URL, the keys and the recordings of the running server are environment variables."""

from __future__ import annotations

import os
import time
from pathlib import Path

import httpx
import pytest

URL = os.environ["MYNAH_TEST_URL"]
KEY = os.environ["MYNAH_TEST_KEY"]
KEY_WITHOUT_CREDIT = os.environ["MYNAH_TEST_KEY_WITHOUT_CREDIT"]
LIMITED_KEY = os.environ["MYNAH_TEST_LIMITED_KEY"]
SENTENCE = Path(os.environ["MYNAH_TEST_SENTENCE"])
STORY = Path(os.environ["MYNAH_TEST_STORY"])
LONG_TEXT = "This sentence is one of very many that follow each other. " * 400

AUDIO_STARTS = {"mp3": (b"ID3", b"\xff\xfb", b"\xff\xf3"), "wav": (b"RIFF",), "opus": (b"OggS",)}


def assert_audio(audio: bytes, format: str = "mp3", least: int = 1000) -> None:
    assert len(audio) > least, len(audio)
    assert format == "pcm" or audio.startswith(AUDIO_STARTS[format]), audio[:8]


def assert_synthesis_stops(within_seconds: float = 10) -> None:
    """The server stops synthesis after the client disconnects."""
    deadline = time.monotonic() + within_seconds
    while any(worker["active"] for worker in httpx.get(f"{URL}/v1/health").json()["workers"]):
        assert time.monotonic() < deadline, "the server is still synthesizing"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def sentence() -> bytes:
    return SENTENCE.read_bytes()


@pytest.fixture(scope="session")
def story() -> bytes:
    return STORY.read_bytes()
