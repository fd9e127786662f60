import base64
import os

from rows import ELEVENLABS, KEY, RECORDING, TEXT, URL, recording, require, require_text, row


def chat():
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model="gpt-audio", api_key=KEY, base_url=f"{URL}/v1")


@row("langchain-openai", "speech of a chat model")
async def _() -> None:
    speaking = chat().bind(modalities=["text", "audio"], audio={"voice": "alloy", "format": "wav"})
    audio = (await speaking.ainvoke(TEXT)).additional_kwargs["audio"]["data"]
    require(len(base64.b64decode(audio)) > 1000, "no audio")


@row("langchain-openai", "transcription by a chat model")
async def _() -> None:
    data = base64.b64encode(recording()).decode()
    content = [{"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}]
    require_text(str((await chat().ainvoke([{"role": "user", "content": content}])).content))


@row("langchain-community", "transcription with OpenAIWhisperParser")
async def _() -> None:
    from langchain_community.document_loaders.parsers.audio import OpenAIWhisperParser
    from langchain_core.documents.base import Blob

    parser = OpenAIWhisperParser(api_key=KEY, base_url=f"{URL}/v1")
    require_text(parser.parse(Blob.from_path(RECORDING))[0].page_content)


@row("langchain-community", "speech with ElevenLabsText2SpeechTool")
async def _() -> None:
    # Its client reads the key when it is imported.
    os.environ["ELEVENLABS_API_KEY"] = KEY
    from elevenlabs.client import ElevenLabs
    from langchain_community.tools import ElevenLabsText2SpeechTool

    # The tool has no base URL; the default of its client is the only place to set one.
    ElevenLabs.__init__.__kwdefaults__["base_url"] = ELEVENLABS
    path = ElevenLabsText2SpeechTool().run(TEXT)
    require(os.path.getsize(path) > 1000, "no audio")
    os.unlink(path)
