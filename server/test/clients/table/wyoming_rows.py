import wave

from rows import RECORDING, TEXT, WYOMING_URI, require, require_text, row


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
