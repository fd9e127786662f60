from rows import KEY, RECORDING, TEXT, URL, require, require_text, row


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
