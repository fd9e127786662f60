from rows import KEY, TEXT, URL, recording, require, require_text, row


@row("fish-audio-sdk", "speech")
async def _() -> None:
    from fishaudio import AsyncFishAudio

    audio = await AsyncFishAudio(api_key=KEY, base_url=URL).tts.convert(text=TEXT)
    # Version 1.0 gives the chunks instead of the bytes.
    size = len(audio) if isinstance(audio, bytes) else sum([len(chunk) async for chunk in audio])
    require(size > 1000, "no audio")


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


@row("fish-audio-sdk", "older module: speech")
async def _() -> None:
    from fish_audio_sdk import Session, TTSRequest

    chunks = Session(KEY, base_url=URL).tts.awaitable(TTSRequest(text=TEXT))
    require(sum([len(chunk) async for chunk in chunks]) > 1000, "no audio")


@row("fish-audio-sdk", "older module: streaming speech")
async def _() -> None:
    from fish_audio_sdk import AsyncWebSocketSession, TTSRequest

    async def words():
        for word in TEXT.split():
            yield f"{word} "

    async with AsyncWebSocketSession(KEY, base_url=URL) as session:
        chunks = session.tts(TTSRequest(text=""), words())
        require(sum([len(chunk) async for chunk in chunks]) > 1000, "no audio")


@row("fish-audio-sdk", "older module: transcription")
async def _() -> None:
    from fish_audio_sdk import ASRRequest, Session

    result = await Session(KEY, base_url=URL).asr.awaitable(ASRRequest(audio=recording()))
    require_text(result.text)
