"""Calls clients of other services with the defaults of their constructors, and prints one JSON row per operation.

Only the URL and the key are set. Usage: table.py URL KEY WYOMING_URI RECORDING
"""

from __future__ import annotations

import asyncio
import json
import sys
import wave
from collections.abc import Awaitable, Callable
from importlib.metadata import version

URL, KEY, WYOMING_URI, RECORDING = sys.argv[1:5]
ELEVENLABS = f"{URL}/compat/elevenlabs"
TEXT = "The boat came home at last."
TIMEOUT_SECONDS = 90

Operation = Callable[[], Awaitable[None]]
ROWS: list[tuple[str, str, Operation]] = []


def row(package: str, operation: str) -> Callable[[Operation], Operation]:
    def add(run: Operation) -> Operation:
        ROWS.append((package, operation, run))
        return run

    return add


def require(condition: object, what: str) -> None:
    if not condition:
        raise AssertionError(what)


def require_text(text: str) -> None:
    require("boat" in text.lower(), "the transcript is wrong")


def recording() -> bytes:
    with open(RECORDING, "rb") as file:
        return file.read()


@row("fish-audio-sdk", "speech")
async def _() -> None:
    from fishaudio import AsyncFishAudio

    audio = await AsyncFishAudio(api_key=KEY, base_url=URL).tts.convert(text=TEXT)
    require(len(audio) > 1000, "no audio")


@row("fish-audio-sdk", "streaming speech")
async def _() -> None:
    from fishaudio import AsyncFishAudio

    async def words():
        for word in TEXT.split():
            yield f"{word} "

    size = 0
    async for chunk in AsyncFishAudio(api_key=KEY, base_url=URL).tts.stream_websocket(words()):
        size += len(chunk)
    require(size > 1000, "no audio")


@row("fish-audio-sdk", "transcription")
async def _() -> None:
    from fishaudio import AsyncFishAudio

    result = await AsyncFishAudio(api_key=KEY, base_url=URL).asr.transcribe(audio=recording())
    require_text(result.text)


@row("openai", "speech")
async def _() -> None:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key=KEY, base_url=f"{URL}/v1")
    speech = await client.audio.speech.create(model="gpt-4o-mini-tts", voice="alloy", input=TEXT)
    require(len(speech.read()) > 1000, "no audio")


@row("openai", "transcription")
async def _() -> None:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key=KEY, base_url=f"{URL}/v1")
    with open(RECORDING, "rb") as file:
        require_text((await client.audio.transcriptions.create(model="whisper-1", file=file)).text)


@row("openai", "streamed transcription")
async def _() -> None:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key=KEY, base_url=f"{URL}/v1")
    text = ""
    with open(RECORDING, "rb") as file:
        stream = await client.audio.transcriptions.create(model="gpt-4o-transcribe", file=file, stream=True)
        async for event in stream:
            if event.type == "transcript.text.delta":
                text += event.delta
    require_text(text)


@row("openai", "translation")
async def _() -> None:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(api_key=KEY, base_url=f"{URL}/v1")
    with open(RECORDING, "rb") as file:
        require_text((await client.audio.translations.create(model="whisper-1", file=file)).text)


@row("elevenlabs", "speech")
async def _() -> None:
    from elevenlabs.client import AsyncElevenLabs

    client = AsyncElevenLabs(api_key=KEY, base_url=ELEVENLABS)
    size = 0
    async for chunk in client.text_to_speech.convert(voice_id="JBFqnCBsd6RMkjVDRZzb", text=TEXT):
        size += len(chunk)
    require(size > 1000, "no audio")


@row("elevenlabs", "speech with timestamps")
async def _() -> None:
    from elevenlabs.client import AsyncElevenLabs

    client = AsyncElevenLabs(api_key=KEY, base_url=ELEVENLABS)
    speech = await client.text_to_speech.convert_with_timestamps(voice_id="21m00Tcm4TlvDq8ikWAM", text=TEXT)
    require(speech.alignment and "".join(speech.alignment.characters) == TEXT, "no times")


@row("elevenlabs", "transcription")
async def _() -> None:
    from elevenlabs.client import AsyncElevenLabs

    client = AsyncElevenLabs(api_key=KEY, base_url=ELEVENLABS)
    require_text((await client.speech_to_text.convert(model_id="scribe_v1", file=recording())).text)


async def livekit_synthesize(make) -> None:
    """`make` gives a TTS of a plugin for an HTTP session."""
    import aiohttp

    async with aiohttp.ClientSession() as session:
        tts = make(session)
        seconds = 0.0
        async with tts.synthesize(TEXT) as stream:
            async for event in stream:
                seconds += event.frame.duration
        require(seconds > 0.5, f"{seconds} s of audio")


async def livekit_stream(make) -> None:
    import aiohttp

    async with aiohttp.ClientSession() as session:
        tts = make(session)
        seconds = 0.0
        async with tts.stream() as stream:
            for word in TEXT.split():
                stream.push_text(f"{word} ")
            stream.end_input()
            async for event in stream:
                seconds += event.frame.duration
        await tts.aclose()
        require(seconds > 0.5, f"{seconds} s of audio")


async def livekit_recognize(make) -> None:
    import aiohttp
    from livekit import rtc

    with wave.open(RECORDING, "rb") as file:
        # The header of a streamed file does not know the number of its samples.
        data, channels, rate = file.readframes(file.getnframes()), file.getnchannels(), file.getframerate()
    frame = rtc.AudioFrame(data, rate, channels, len(data) // (2 * channels))
    async with aiohttp.ClientSession() as session:
        event = await make(session).recognize(frame)
        require_text(event.alternatives[0].text)


def livekit_elevenlabs_tts(session):
    from livekit.plugins import elevenlabs

    return elevenlabs.TTS(api_key=KEY, base_url=f"{ELEVENLABS}/v1", http_session=session)


def livekit_openai_tts(_):
    from livekit.plugins import openai

    return openai.TTS(api_key=KEY, base_url=f"{URL}/v1")


def livekit_fishaudio_tts(session):
    from livekit.plugins import fishaudio

    return fishaudio.TTS(api_key=KEY, base_url=URL, http_session=session)


def livekit_openai_stt(_):
    from livekit.plugins import openai

    return openai.STT(api_key=KEY, base_url=f"{URL}/v1")


def livekit_elevenlabs_stt(session):
    from livekit.plugins import elevenlabs

    return elevenlabs.STT(api_key=KEY, base_url=f"{ELEVENLABS}/v1", http_session=session)


for name, make in [
    ("elevenlabs", livekit_elevenlabs_tts),
    ("openai", livekit_openai_tts),
    ("fishaudio", livekit_fishaudio_tts),
]:
    row(f"livekit-plugins-{name}", "speech")(lambda make=make: livekit_synthesize(make))
for name, make in [("elevenlabs", livekit_elevenlabs_tts), ("fishaudio", livekit_fishaudio_tts)]:
    row(f"livekit-plugins-{name}", "streaming speech")(lambda make=make: livekit_stream(make))
for name, make in [("openai", livekit_openai_stt), ("elevenlabs", livekit_elevenlabs_stt)]:
    row(f"livekit-plugins-{name}", "transcription")(lambda make=make: livekit_recognize(make))


async def pipecat_speak(service) -> None:
    """Runs a pipeline that speaks one text with a service, and counts the audio."""
    from pipecat.frames.frames import EndFrame, Frame, TTSAudioRawFrame, TTSSpeakFrame
    from pipecat.pipeline.pipeline import Pipeline
    from pipecat.pipeline.runner import PipelineRunner
    from pipecat.pipeline.task import PipelineTask
    from pipecat.processors.frame_processor import FrameDirection, FrameProcessor

    class Collector(FrameProcessor):
        seconds = 0.0

        async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
            await super().process_frame(frame, direction)
            if isinstance(frame, TTSAudioRawFrame):
                self.seconds += len(frame.audio) / (2 * frame.sample_rate)
            await self.push_frame(frame, direction)

    collector = Collector()
    task = PipelineTask(Pipeline([service, collector]))
    await task.queue_frames([TTSSpeakFrame(TEXT), EndFrame()])
    await PipelineRunner(handle_sigint=False).run(task)
    require(collector.seconds > 0.5, f"{collector.seconds} s of audio")


@row("pipecat-ai", "OpenAI speech")
async def _() -> None:
    from pipecat.services.openai.tts import OpenAITTSService

    await pipecat_speak(OpenAITTSService(api_key=KEY, base_url=f"{URL}/v1"))


@row("pipecat-ai", "ElevenLabs streaming speech")
async def _() -> None:
    from pipecat.services.elevenlabs.tts import ElevenLabsTTSService

    # The service has no default voice.
    settings = ElevenLabsTTSService.Settings(voice="21m00Tcm4TlvDq8ikWAM")
    url = ELEVENLABS.replace("http", "ws", 1)
    await pipecat_speak(ElevenLabsTTSService(api_key=KEY, url=url, settings=settings))


async def wyoming_exchange(sent: list, last: str) -> list:
    from wyoming.client import AsyncClient

    received = []
    async with AsyncClient.from_uri(WYOMING_URI) as client:
        for event in sent:
            await client.write_event(event)
        while not received or received[-1].type not in (last, "error"):
            received.append(await client.read_event())
            require(received[-1] is not None, "the connection ended")
    require(received[-1].type == last, str(received[-1].data))
    return received


@row("wyoming", "info")
async def _() -> None:
    from wyoming.info import Describe, Info

    info = Info.from_event((await wyoming_exchange([Describe().event()], "info"))[-1])
    require(info.tts[0].voices and info.asr[0].models, "no voices or models")


@row("wyoming", "streaming speech")
async def _() -> None:
    from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop

    chunks = [SynthesizeChunk(text=f"{word} ").event() for word in TEXT.split()]
    sent = [SynthesizeStart().event(), *chunks, Synthesize(text=TEXT).event(), SynthesizeStop().event()]
    events = await wyoming_exchange(sent, "synthesize-stopped")
    require(sum(len(event.payload or b"") for event in events) > 10_000, "no audio")


@row("wyoming", "transcription")
async def _() -> None:
    from wyoming.asr import Transcribe, Transcript
    from wyoming.audio import AudioStart, AudioStop, wav_to_chunks

    with wave.open(RECORDING, "rb") as file:
        start = AudioStart(rate=file.getframerate(), width=file.getsampwidth(), channels=file.getnchannels())
        chunks = [chunk.event() for chunk in wav_to_chunks(file, samples_per_chunk=1024)]
    sent = [Transcribe().event(), start.event(), *chunks, AudioStop().event()]
    require_text(Transcript.from_event((await wyoming_exchange(sent, "transcript"))[-1]).text)


async def main() -> None:
    for package, operation, run in ROWS:
        problem = None
        try:
            await asyncio.wait_for(run(), TIMEOUT_SECONDS)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"[:200]
        result = {"client": f"PyPI {package}", "version": version(package), "operation": operation}
        print(json.dumps({**result, "problem": problem}), flush=True)


asyncio.run(main())
