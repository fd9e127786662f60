"""The calls of Home Assistant's integration `fish_audio`, one by one, through the client that it uses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from conftest import KEY, POOR_KEY, URL, assert_audio
from fish_audio_sdk import HttpCodeErr, Session
from fishaudio import AsyncFishAudio
from fishaudio.exceptions import APIError, AuthenticationError

BACKENDS = ["s2-pro", "s1", "speech-1.5", "speech-1.6"]


def test_set_up_validates_the_key() -> None:
    async def set_up(key: str) -> str:
        return (await AsyncFishAudio(api_key=key, base_url=URL).account.get_credits()).user_id

    # It remembers whose key it is, and refuses another account when it is configured again.
    user_id = asyncio.run(set_up(KEY))
    assert user_id == asyncio.run(set_up(KEY)) == Session(KEY, base_url=URL).get_api_credit().user_id
    assert user_id != asyncio.run(set_up(POOR_KEY))
    with pytest.raises(AuthenticationError):
        asyncio.run(set_up("wrong"))
    with pytest.raises(HttpCodeErr) as wrong:
        Session("wrong", base_url=URL).get_api_credit()
    assert wrong.value.status == 401


@pytest.mark.parametrize("sort_by", ["task_count", "score", "created_at"])
def test_voices_are_offered(sort_by: str) -> None:
    async def offered(self_only: bool) -> list[tuple[str, str]]:
        client = AsyncFishAudio(api_key=KEY, base_url=URL)
        page = await client.voices.list(self_only=self_only, language="en", sort_by=sort_by)
        return [(voice.id, voice.title) for voice in page.items]

    voices = asyncio.run(offered(self_only=False))
    assert voices and all(id and title for id, title in voices)
    assert asyncio.run(offered(self_only=True)) == []
    older = Session(KEY, base_url=URL).list_models(self_only=False, language=None, sort_by=sort_by)
    assert older.items


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_message_is_spoken_whole_and_as_it_is_written(backend: str) -> None:
    async def speak() -> None:
        client = AsyncFishAudio(api_key=KEY, base_url=URL)
        page = await client.voices.list(language="en")
        wish = {"reference_id": page.items[0].id, "latency": "balanced", "speed": 1.1, "model": backend}

        async def message() -> AsyncIterator[str]:
            yield "The front door "
            yield "is open."

        assert_audio(await client.tts.convert(text="The front door is open.", format="mp3", **wish))
        stream = client.tts.stream_websocket(message(), format="mp3", **wish)
        assert_audio(b"".join([chunk async for chunk in stream]))

    asyncio.run(speak())


def test_no_credit_is_an_error_of_the_service() -> None:
    async def speak() -> None:
        await AsyncFishAudio(api_key=POOR_KEY, base_url=URL).tts.convert(text="Hello.", format="mp3")

    with pytest.raises(APIError) as poor:
        asyncio.run(speak())
    assert poor.value.status == 402
