"""Tests of the official client, `fishaudio` of PyPI's `fish-audio-sdk`, unmodified."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from conftest import (
    KEY,
    LIMITED_KEY,
    LONG_TEXT,
    KEY_WITHOUT_CREDIT,
    URL,
    assert_audio,
    assert_synthesis_stops,
)
from fishaudio import AsyncFishAudio, FishAudio, TTSConfig
from fishaudio.core import RequestOptions
from fishaudio.exceptions import (
    APIError,
    AuthenticationError,
    NotFoundError,
    PermissionError,
    RateLimitError,
    WebSocketError,
)
from fishaudio.types import FlushEvent, Prosody, ReferenceAudio

MODELS = ["speech-1.5", "speech-1.6", "s1", "s2-pro"]
FORMATS = ["mp3", "wav", "pcm", "opus"]


@pytest.fixture
def client() -> FishAudio:
    return FishAudio(api_key=KEY, base_url=URL)


def client_with(key: str) -> FishAudio:
    return FishAudio(api_key=key, base_url=URL)


def words(*texts: object) -> Iterator[object]:
    yield from texts


@pytest.mark.parametrize("format", FORMATS)
def test_synthesizes_in_every_format(client: FishAudio, format: str) -> None:
    assert_audio(client.tts.convert(text="Hello there.", format=format), format)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("model", MODELS)
def test_synthesizes_with_every_model(client: FishAudio, model: str) -> None:
    assert_audio(client.tts.convert(text="Hello there.", model=model))


def test_synthesizes_as_configured(client: FishAudio) -> None:
    config = TTSConfig(
        format="wav",
        sample_rate=16000,
        prosody=Prosody(speed=1.2, volume=-3),
        chunk_length=100,
        latency="normal",
        temperature=0.5,
        top_p=0.9,
    )
    audio = client.tts.convert(text="Hello there.", config=config, reference_id="af_bella")
    assert_audio(audio, "wav")
    assert int.from_bytes(audio[24:28], "little") == 16000


def test_streams(client: FishAudio) -> None:
    chunks = list(client.tts.stream(text="One sentence. And then another one follows it."))
    assert_audio(b"".join(chunks), least=5000)
    assert_audio(client.tts.stream(text="Hello.").collect())


def test_synthesizes_with_a_reference_recording(client: FishAudio, story: bytes) -> None:
    reference = ReferenceAudio(audio=story, text="The little boat came home at last.")
    assert_audio(client.tts.convert(text="Hello there.", references=[reference]))


@pytest.mark.parametrize("format", ["mp3", "wav", "pcm"])
def test_synthesizes_over_a_socket(client: FishAudio, format: str) -> None:
    config = TTSConfig(format=format)
    text = words("Hello there", FlushEvent(), ", and ", "goodbye.")
    assert_audio(b"".join(client.tts.stream_websocket(text, config=config)), format, least=5000)


def test_an_empty_session_has_no_audio_and_three_calls_succeed(client: FishAudio) -> None:
    assert b"".join(client.tts.stream_websocket(words())) == b""
    for turn in range(3):
        text = words("This is call ", str(turn), ".")
        assert_audio(b"".join(client.tts.stream_websocket(text, speed=1.1, latency="balanced")))


def test_a_socket_reports_errors(client: FishAudio) -> None:
    with pytest.raises(WebSocketError):
        list(client.tts.stream_websocket(words("Hello."), reference_id="nobody"))


def test_closing_a_socket_stops_synthesis(client: FishAudio) -> None:
    stream = client.tts.stream_websocket(words(LONG_TEXT[:5000]))
    assert next(stream)
    stream.close()
    assert_synthesis_stops()


def test_transcribes(client: FishAudio, sentence: bytes) -> None:
    transcript = client.asr.transcribe(audio=sentence, language="en")
    assert "little boat came home" in transcript.text.lower()
    assert 2 < transcript.duration < 10
    assert len(transcript.segments) > 10
    assert transcript.segments[0].start < transcript.segments[-1].end
    plain = client.asr.transcribe(audio=sentence, include_timestamps=False)
    assert plain.segments == [] and plain.text


def test_transcribes_with_the_other_model(client: FishAudio, sentence: bytes) -> None:
    options = RequestOptions(additional_headers={"model": "transcribe-1-pro"}, timeout=120)
    assert "little boat" in client.asr.transcribe(audio=sentence, request_options=options).text.lower()


def test_lists_voices(client: FishAudio) -> None:
    page = client.voices.list(page_size=5)
    assert len(page.items) == 5 and page.total > 50
    second = client.voices.list(page_size=5, page_number=2)
    assert {voice.id for voice in page.items}.isdisjoint(voice.id for voice in second.items)
    assert client.voices.list(title="heart").items[0].title == "Heart"
    assert client.voices.list(language=["ja"], sort_by="created_at").total > 0
    assert client.voices.list(tags=["no such tag"]).total == 0
    voice = client.voices.get(page.items[0].id)
    assert voice.id == page.items[0].id and voice.state == "trained"


def test_creates_changes_and_deletes_a_voice(client: FishAudio, story: bytes) -> None:
    created = client.voices.create(
        title="Ada", voices=[story], texts=["The little boat."], tags=["calm", "test"], description="A test"
    )
    assert (created.title, created.visibility, created.state) == ("Ada", "private", "trained")
    assert created.tags == ["calm", "test"]
    assert [voice.id for voice in client.voices.list(self_only=True).items] == [created.id]
    assert_audio(client.tts.convert(text="Hello there.", reference_id=created.id))

    with pytest.raises(PermissionError):
        client_with(KEY_WITHOUT_CREDIT).voices.get(created.id)
    client.voices.update(created.id, title="Eve", visibility="unlist", tags=["new"])
    assert client_with(KEY_WITHOUT_CREDIT).voices.get(created.id).title == "Eve"
    client.voices.delete(created.id)
    with pytest.raises(NotFoundError):
        client.voices.get(created.id)


def test_reads_the_account(client: FishAudio) -> None:
    credits = client.account.get_credits(check_free_credit=True)
    assert 9 < float(credits.credit) <= 10
    assert client.account.get_package().user_id == credits.user_id


def test_errors_have_specific_types(client: FishAudio) -> None:
    with pytest.raises(AuthenticationError) as wrong:
        client_with("wrong").tts.convert(text="Hello.")
    assert wrong.value.status == 401
    with pytest.raises(APIError) as without_credit:
        client_with(KEY_WITHOUT_CREDIT).tts.convert(text="Hello.")
    assert without_credit.value.status == 402 and "Insufficient API credit" in without_credit.value.message
    with pytest.raises(APIError) as unknown:
        client.tts.convert(text="Hello.", reference_id="nobody")
    assert unknown.value.status == 400 and "Reference not found" in unknown.value.message
    with pytest.raises(APIError) as broken:
        client.asr.transcribe(audio=b"no audio")
    assert broken.value.status == 400
    with pytest.raises(RateLimitError):
        for _ in range(3):
            client_with(LIMITED_KEY).voices.list()


def test_the_asynchronous_client_has_the_same_calls(sentence: bytes) -> None:
    async def synthesize_and_transcribe() -> None:
        client = AsyncFishAudio(api_key=KEY, base_url=URL)

        async def texts() -> AsyncIterator[str]:
            yield "Hello there, "
            yield "and goodbye."

        assert_audio(await client.tts.convert(text="Hello there."))
        stream = await client.tts.stream(text="Hello there.")
        assert_audio(b"".join([chunk async for chunk in stream]))
        assert_audio(b"".join([chunk async for chunk in client.tts.stream_websocket(texts())]))
        assert "boat" in (await client.asr.transcribe(audio=sentence)).text
        page = await client.voices.list(page_size=1)
        assert (await client.voices.get(page.items[0].id)).id == page.items[0].id
        credits = await client.account.get_credits()
        assert (await client.account.get_package()).user_id == credits.user_id
        with pytest.raises(NotFoundError):
            await client.voices.delete("nobody")
        task = asyncio.ensure_future(client.tts.convert(text=LONG_TEXT))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await client.close()

    asyncio.run(synthesize_and_transcribe())
    assert_synthesis_stops()
