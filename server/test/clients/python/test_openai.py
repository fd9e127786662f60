"""Tests of OpenAI's PyPI client, unmodified."""

from __future__ import annotations

import asyncio
from pathlib import Path

import openai
import pytest
from conftest import KEY, LONG_TEXT, KEY_WITHOUT_CREDIT, SENTENCE, URL, assert_audio, assert_synthesis_stops
from openai import AsyncOpenAI, OpenAI


def client_at(path: str = "/v1", key: str = KEY) -> OpenAI:
    return OpenAI(api_key=key, base_url=URL + path, max_retries=0)


@pytest.mark.parametrize("format", ["mp3", "wav", "opus", "pcm"])
@pytest.mark.parametrize("path", ["/v1", "/compat/v1", "/compat/openai/v1"])
def test_synthesizes(path: str, format: str) -> None:
    speech = client_at(path).audio.speech.create(
        model="tts-1", voice="default", input="Hello there.", response_format=format, speed=1.1
    )
    assert_audio(speech.read(), format)


def test_streams_to_a_file(tmp_path: Path) -> None:
    target = tmp_path / "hello.mp3"
    with client_at().audio.speech.with_streaming_response.create(
        model="gpt-4o-mini-tts", voice="nova", input="Hello there."
    ) as speech:
        speech.stream_to_file(target)
    assert_audio(target.read_bytes())


def test_audio_arrives_before_the_end_and_closing_stops_synthesis() -> None:
    with client_at().audio.speech.with_streaming_response.create(
        model="tts-1", voice="alloy", input=LONG_TEXT[:20000], response_format="pcm"
    ) as speech:
        assert next(speech.iter_bytes(1024))
    assert_synthesis_stops()


def test_accepts_native_parameters() -> None:
    speech = client_at("/compat/v1").audio.speech.create(
        model="fish-audio/s1",
        voice="",
        input="Hello there.",
        response_format="wav",
        extra_body={"sample_rate": 16000, "provider": {"options": {"fish-audio": {"seed": 1}}}},
        extra_headers={"X-Fish-Latency": "normal"},
    )
    audio = speech.read()
    assert_audio(audio, "wav")
    assert int.from_bytes(audio[24:28], "little") == 16000


@pytest.mark.parametrize("model", ["whisper-1", "gpt-4o-transcribe", "fish-audio/transcribe-1"])
def test_transcribes(model: str) -> None:
    with SENTENCE.open("rb") as file:
        assert "little boat" in client_at().audio.transcriptions.create(model=model, file=file).text.lower()


def test_transcribes_words_and_captions() -> None:
    transcriptions = client_at("/compat/v1").audio.transcriptions
    verbose = transcriptions.create(
        model="whisper-1", file=SENTENCE, response_format="verbose_json", timestamp_granularities=["word"]
    )
    assert verbose.words and len(verbose.words) > 10 and verbose.segments
    assert verbose.words[0].start <= verbose.words[-1].end <= verbose.duration
    for format in ["srt", "vtt"]:
        assert "-->" in transcriptions.create(model="whisper-1", file=SENTENCE, response_format=format)
    assert "boat" in transcriptions.create(model="whisper-1", file=SENTENCE, response_format="text")


def test_lists_models() -> None:
    assert {"s1", "tts-1", "whisper-1"} <= {model.id for model in client_at().models.list()}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_errors_have_specific_types() -> None:
    request = {"model": "tts-1", "voice": "alloy", "input": "Hello."}
    with pytest.raises(openai.AuthenticationError):
        client_at(key="wrong").audio.speech.create(**request)
    with pytest.raises(openai.BadRequestError, match="llama-9"):
        client_at().audio.speech.create(**{**request, "model": "llama-9"})
    ignored = client_at().audio.speech.with_raw_response.create(**request, instructions="like a pirate")
    assert ignored.headers["x-mynah-ignored"] == "instructions"
    with pytest.raises(openai.APIStatusError) as without_credit:
        client_at(key=KEY_WITHOUT_CREDIT).audio.speech.create(**request)
    assert without_credit.value.status_code == 402
    with pytest.raises(openai.BadRequestError):
        client_at().audio.transcriptions.create(model="whisper-1", file=b"no audio")
    with pytest.raises(openai.NotFoundError):
        client_at("/compat/v1").images.generate(prompt="a bird")


def test_translates_to_english() -> None:
    translation = client_at("/compat/v1").audio.translations.create(model="whisper-1", file=SENTENCE)
    assert "boat" in translation.text.lower()


def test_the_asynchronous_client_synthesizes_and_transcribes() -> None:
    async def synthesize_and_transcribe() -> None:
        async with AsyncOpenAI(api_key=KEY, base_url=f"{URL}/v1", max_retries=0) as client:
            speech = await client.audio.speech.create(model="tts-1", voice="echo", input="Hello there.")
            assert_audio(speech.read())
            transcript = await client.audio.transcriptions.create(model="whisper-1", file=SENTENCE)
            assert "boat" in transcript.text

    asyncio.run(synthesize_and_transcribe())
