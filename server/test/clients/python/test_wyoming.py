"""Tests of PyPI `wyoming`, the client of Home Assistant, against `mynah wyoming`."""

from __future__ import annotations

import asyncio
import os
import wave

from conftest import SENTENCE
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop, wav_to_chunks
from wyoming.client import AsyncClient
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe, Info
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
    SynthesizeVoice,
)

URI = os.environ["MYNAH_TEST_WYOMING"]


def exchange(sent: list[Event], last: str) -> list[Event]:
    """The answers to events, up to the one of type `last`."""

    async def run() -> list[Event]:
        received: list[Event] = []
        async with AsyncClient.from_uri(URI) as client:
            for event in sent:
                await client.write_event(event)
            while not received or received[-1].type not in (last, "error"):
                event = await client.read_event()
                assert event is not None, [event.type for event in received]
                received.append(event)
        return received

    return asyncio.run(asyncio.wait_for(run(), 120))


def seconds_of(events: list[Event]) -> float:
    return sum(AudioChunk.from_event(event).seconds for event in events if AudioChunk.is_type(event.type))


def test_info_has_voices_and_languages() -> None:
    info = Info.from_event(exchange([Describe().event()], "info")[-1])
    assert info.tts[0].supports_synthesize_streaming and info.tts[0].installed
    voices = info.tts[0].voices
    assert len(voices) > 10 and any("en" in language for voice in voices for language in voice.languages)
    assert "en" in info.asr[0].models[0].languages


def test_synthesizes() -> None:
    voice = SynthesizeVoice(name="af_heart")
    events = exchange([Synthesize(text="Hello there.", voice=voice).event()], "audio-stop")
    start = AudioStart.from_event(events[0])
    assert (start.rate, start.width, start.channels) == (24000, 2, 1)
    assert AudioStop.is_type(events[-1].type) and 0.3 < seconds_of(events) < 5


def test_synthesizes_a_text_while_it_arrives() -> None:
    text = "The boat came home. Nobody had seen it leave."
    sent = [SynthesizeStart(voice=SynthesizeVoice(language="en")).event()]
    sent += [SynthesizeChunk(text=f"{word} ").event() for word in text.split()]
    # Home Assistant also sends the whole text, for servers without streaming.
    sent += [Synthesize(text=text).event(), SynthesizeStop().event()]
    events = exchange(sent, "synthesize-stopped")
    assert SynthesizeStopped.is_type(events[-1].type)
    assert 1.5 < seconds_of(events) < 8


def test_transcribes() -> None:
    with wave.open(str(SENTENCE), "rb") as file:
        rate, width, channels = file.getframerate(), file.getsampwidth(), file.getnchannels()
        chunks = list(wav_to_chunks(file, samples_per_chunk=1024))
    sent = [Transcribe(language="en").event(), AudioStart(rate=rate, width=width, channels=channels).event()]
    sent += [chunk.event() for chunk in chunks] + [AudioStop().event()]
    transcript = Transcript.from_event(exchange(sent, "transcript")[-1])
    assert "boat" in transcript.text.lower()


def test_errors_are_events() -> None:
    unknown = Synthesize(text="Hello.", voice=SynthesizeVoice(name="nobody")).event()
    assert Error.from_event(exchange([unknown], "error")[-1]).code == "voice_not_found"
    assert Error.from_event(exchange([Event("audio-start", {"rate": 1})], "error")[-1]).code == "invalid_request"
    assert Error.from_event(exchange([Event("synthesize-chunk", {"text": "x"})], "error")[-1]).code == "live_protocol"
