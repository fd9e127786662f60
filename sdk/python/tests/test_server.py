"""Against a real server whose voice is a tone, 50 milliseconds a letter."""

from __future__ import annotations

import asyncio
import os

import pytest

import mynah
from mynah import AsyncMynah, FishAudio, Mynah, TTSConfig


def pcm_size(letters: int) -> int:
    return 2 * int(letters * 0.05 * 44_100)


def test_a_text_becomes_audio(client: Mynah) -> None:
    assert len(client.tts.convert(text="hello", format="pcm")) == pcm_size(5)


def test_what_is_given_directly_wins_over_the_config(client: Mynah) -> None:
    config = TTSConfig(format="mp3", sample_rate=24_000, prosody=mynah.Prosody(volume=3))
    audio = client.tts.convert(text="hello", format="pcm", speed=1.5, config=config)
    assert len(audio) == 2 * int(5 * 0.05 * 24_000)


def test_the_first_audio_comes_before_the_server_has_finished(client: Mynah) -> None:
    audio = client.tts.stream(text="long " * 30_000, format="pcm")
    first = next(iter(audio))
    assert 0 < len(first) < pcm_size(150_000)
    audio.close()


def test_refusals_have_classes_and_codes(client: Mynah) -> None:
    with pytest.raises(mynah.InvalidRequestError) as caught:
        client.tts.convert(text="hello", reference_id="nobody")
    assert caught.value.code == "voice_not_found"
    with pytest.raises(mynah.NotFoundError):
        client.voices.get("f" * 32)
    with pytest.raises(mynah.AuthenticationError):
        Mynah(api_key="wrong", base_url=os.environ["MYNAH_TEST_URL"]).tts.convert(text="hello")


def test_voices_are_listed_over_all_pages(client: Mynah) -> None:
    page = client.voices.list(page_size=10)
    voices = list(client.voices.iterate(page_size=10))
    assert len(voices) == page.total > 10
    assert len({voice.id for voice in voices}) == page.total
    assert client.voices.get(voices[0].id).title == voices[0].title
    assert voices[0].created_at.tzinfo is not None


def test_the_asynchronous_client_does_the_same() -> None:
    async def run() -> None:
        key, url = os.environ["MYNAH_TEST_KEY"], os.environ["MYNAH_TEST_URL"]
        async with AsyncMynah(api_key=key, base_url=url) as client:
            assert len(await client.tts.convert(text="hello", format="pcm")) == pcm_size(5)
            stream = await client.tts.stream(text="long " * 30_000, format="pcm")
            async for chunk in stream:
                assert 0 < len(chunk) < pcm_size(150_000)
                break
            await stream.aclose()
            page = await client.voices.list(page_size=10)
            assert len([voice async for voice in client.voices.iterate()]) == page.total
            with pytest.raises(mynah.InvalidRequestError):
                await client.tts.convert(text="hello", reference_id="nobody")

    asyncio.run(run())


def test_the_official_names_are_there() -> None:
    key, url = os.environ["MYNAH_TEST_KEY"], os.environ["MYNAH_TEST_URL"]
    with FishAudio(api_key=key, base_url=url, timeout=10) as client:
        assert client.tts.stream(text="hello", format="pcm").collect()
    assert issubclass(mynah.AuthenticationError, mynah.FishAudioError)
