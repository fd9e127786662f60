import wave

from rows import ELEVENLABS, KEY, RECORDING, TEXT, URL, require, require_text, row


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


def recorded_frame():
    from livekit import rtc

    with wave.open(RECORDING, "rb") as file:
        # The header of a streamed file does not know the number of its samples.
        data, channels, rate = file.readframes(file.getnframes()), file.getnchannels(), file.getframerate()
    return rtc.AudioFrame(data, rate, channels, len(data) // (2 * channels))


async def livekit_recognize(make) -> None:
    import aiohttp

    async with aiohttp.ClientSession() as session:
        event = await make(session).recognize(recorded_frame())
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


def livekit_openai_stream(session):
    """The plugin has no streaming of its own; agents use it through this adapter."""
    from livekit.agents import tts

    return tts.StreamAdapter(tts=livekit_openai_tts(session))


async def livekit_realtime(make) -> None:
    """Sends the recording and a pause as a microphone does, and waits for the final transcript."""
    from livekit import rtc
    from livekit.agents.stt import SpeechEventType
    from livekit.agents.utils import http_context

    frame = recorded_frame()
    silence = rtc.AudioFrame.create(frame.sample_rate, frame.num_channels, frame.sample_rate)
    async with http_context.open() as session, make(session).stream() as stream:
        for part in (frame, silence, silence):
            stream.push_frame(part)
        async for event in stream:
            if event.type == SpeechEventType.FINAL_TRANSCRIPT:
                return require_text(event.alternatives[0].text)


def livekit_openai_realtime_stt(_):
    from livekit.plugins import openai

    return openai.STT(api_key=KEY, base_url=f"{URL}/v1", use_realtime=True)


SPEECH = {
    "elevenlabs": livekit_elevenlabs_tts,
    "openai": livekit_openai_tts,
    "fishaudio": livekit_fishaudio_tts,
}
for name, make in SPEECH.items():
    row(f"livekit-plugins-{name}", "speech")(lambda make=make: livekit_synthesize(make))
for name, make in {**SPEECH, "openai": livekit_openai_stream}.items():
    row(f"livekit-plugins-{name}", "streaming speech")(lambda make=make: livekit_stream(make))
for name, make in {"openai": livekit_openai_stt, "elevenlabs": livekit_elevenlabs_stt}.items():
    row(f"livekit-plugins-{name}", "transcription")(lambda make=make: livekit_recognize(make))
row("livekit-plugins-openai", "realtime transcription")(lambda: livekit_realtime(livekit_openai_realtime_stt))
