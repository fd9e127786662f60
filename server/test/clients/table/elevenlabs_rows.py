from rows import ELEVENLABS, KEY, TEXT, recording, require, require_text, row


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
