"""Tests of the calls of Home Assistant's integration `fish_audio`, through the client that it uses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from conftest import KEY, KEY_WITHOUT_CREDIT, URL, assert_audio
from fish_audio_sdk import HttpCodeErr, Session
from fishaudio import AsyncFishAudio
from fishaudio.exceptions import APIError, AuthenticationError

BACKENDS = ["s2-pro", "s1", "speech-1.5", "speech-1.6"]


def test_set_up_validates_the_key() -> None:
    async def set_up(key: str) -> str:
        return (await AsyncFishAudio(api_key=key, base_url=URL).account.get_credits()).user_id

    # The integration stores the account of the key, and rejects another account when it is configured again.
    user_id = asyncio.run(set_up(KEY))
    assert user_id == asyncio.run(set_up(KEY)) == Session(KEY, base_url=URL).get_api_credit().user_id
    assert user_id != asyncio.run(set_up(KEY_WITHOUT_CREDIT))
    with pytest.raises(AuthenticationError):
        asyncio.run(set_up("wrong"))
    with pytest.raises(HttpCodeErr) as wrong:
        Session("wrong", base_url=URL).get_api_credit()
    assert wrong.value.status == 401


@pytest.mark.parametrize("sort_by", ["task_count", "score", "created_at"])
def test_lists_voices(sort_by: str) -> None:
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
def test_synthesizes_a_complete_and_a_streamed_message(backend: str) -> None:
    async def speak() -> None:
        client = AsyncFishAudio(api_key=KEY, base_url=URL)
        page = await client.voices.list(language="en")
        request = {"reference_id": page.items[0].id, "latency": "balanced", "speed": 1.1, "model": backend}

        async def message() -> AsyncIterator[str]:
            yield "The front door "
            yield "is open."

        assert_audio(await client.tts.convert(text="The front door is open.", format="mp3", **request))
        stream = client.tts.stream_websocket(message(), format="mp3", **request)
        assert_audio(b"".join([chunk async for chunk in stream]))

    asyncio.run(speak())


def test_missing_credit_is_an_api_error() -> None:
    async def speak() -> None:
        await AsyncFishAudio(api_key=KEY_WITHOUT_CREDIT, base_url=URL).tts.convert(text="Hello.", format="mp3")

    with pytest.raises(APIError) as without_credit:
        asyncio.run(speak())
    assert without_credit.value.status == 402
