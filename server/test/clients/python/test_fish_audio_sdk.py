"""Tests of the older module of the same package, `fish_audio_sdk`, which many programs still use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from conftest import KEY, LONG_TEXT, KEY_WITHOUT_CREDIT, URL, assert_audio, assert_synthesis_stops
from fish_audio_sdk import (
    ASRRequest,
    AsyncWebSocketSession,
    HttpCodeErr,
    Prosody,
    ReferenceAudio,
    Session,
    TTSRequest,
    WebSocketErr,
    WebSocketSession,
)


@pytest.fixture
def session() -> Session:
    return Session(KEY, base_url=URL)


@pytest.mark.parametrize("format", ["mp3", "wav", "pcm"])
def test_synthesizes(session: Session, format: str) -> None:
    request = TTSRequest(text="Hello there.", format=format, prosody=Prosody(speed=1.1))
    assert_audio(b"".join(session.tts(request)), format)


@pytest.mark.parametrize("backend", ["speech-1.6", "s1", "agent-x0"])
def test_synthesizes_with_other_models(session: Session, backend: str) -> None:
    assert_audio(b"".join(session.tts(TTSRequest(text="Hello there."), backend=backend)))


def test_synthesizes_with_a_reference_recording(session: Session, story: bytes) -> None:
    references = [ReferenceAudio(audio=story, text="The little boat came home at last.")]
    assert_audio(b"".join(session.tts(TTSRequest(text="Hello there.", references=references))))


def test_closing_a_stream_stops_synthesis(session: Session) -> None:
    stream = session.tts(TTSRequest(text=LONG_TEXT), backend="s1")
    assert next(stream)
    stream.close()
    assert_synthesis_stops()


def test_transcribes(session: Session, sentence: bytes) -> None:
    transcript = session.asr(ASRRequest(audio=sentence))
    assert "little boat came home" in transcript.text.lower()
    assert transcript.segments == []
    timed = session.asr(ASRRequest(audio=sentence, language="en", ignore_timestamps=False))
    assert len(timed.segments) > 10


def test_creates_and_deletes_voices(session: Session, story: bytes) -> None:
    assert session.list_models(page_size=3, sort_by="created_at").total > 50
    created = session.create_model(title="Old Ada", voices=[story], tags=["old"])
    session.update_model(created.id, title="Older Ada", visibility="unlist")
    assert session.get_model(created.id).title == "Older Ada"
    assert [model.id for model in session.list_models(self_only=True, tag="old").items] == [created.id]
    session.delete_model(created.id)
    with pytest.raises(HttpCodeErr) as gone:
        session.get_model(created.id)
    assert gone.value.status == 404


def test_reads_the_account(session: Session) -> None:
    assert session.get_api_credit().user_id == session.get_package().user_id


def test_every_call_is_awaitable(sentence: bytes) -> None:
    async def call() -> None:
        session = Session(KEY, base_url=URL)
        chunks = [chunk async for chunk in session.tts.awaitable(TTSRequest(text="Hello there."))]
        assert_audio(b"".join(chunks))
        assert "boat" in (await session.asr.awaitable(ASRRequest(audio=sentence))).text
        page = await session.list_models.awaitable(page_size=1)
        assert (await session.get_model.awaitable(page.items[0].id)).id == page.items[0].id
        assert float((await session.get_api_credit.awaitable()).credit) > 0
        assert (await session.get_package.awaitable()).type == "free"

    asyncio.run(call())


def test_errors_have_a_status() -> None:
    with pytest.raises(HttpCodeErr) as wrong:
        Session("wrong", base_url=URL).get_api_credit()
    assert wrong.value.status == 401
    with pytest.raises(HttpCodeErr) as without_credit:
        list(Session(KEY_WITHOUT_CREDIT, base_url=URL).tts(TTSRequest(text="Hello.")))
    assert without_credit.value.status == 402
    with pytest.raises(HttpCodeErr) as broken:
        Session(KEY, base_url=URL).asr(ASRRequest(audio=b"no audio"))
    assert broken.value.status == 400


def texts() -> Iterator[str]:
    yield "Hello there, "
    yield "and goodbye."


def test_synthesizes_over_a_socket() -> None:
    with WebSocketSession(KEY, base_url=URL) as socket:
        for _ in range(2):
            assert_audio(b"".join(socket.tts(TTSRequest(text=""), texts(), backend="s1")))
        assert b"".join(socket.tts(TTSRequest(text=""), iter(()))) == b""
        with pytest.raises(WebSocketErr):
            list(socket.tts(TTSRequest(text="", reference_id="nobody"), texts()))


def test_synthesizes_over_an_asynchronous_socket() -> None:
    async def more() -> AsyncIterator[str]:
        for text in texts():
            yield text

    async def speak() -> None:
        async with AsyncWebSocketSession(KEY, base_url=URL) as socket:
            stream = socket.tts(TTSRequest(text=""), more())
            assert_audio(b"".join([chunk async for chunk in stream]))

    asyncio.run(speak())
