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


@row("elevenlabs", "pronunciation dictionaries")
async def _() -> None:
    from elevenlabs.client import AsyncElevenLabs

    dictionaries = AsyncElevenLabs(api_key=KEY, base_url=ELEVENLABS).pronunciation_dictionaries
    rule = {"type": "phoneme", "string_to_replace": "boat", "phoneme": "boʊt", "alphabet": "ipa"}
    created = await dictionaries.create_from_rules(name="Terms", rules=[rule])
    changed = await dictionaries.rules.remove(created.id, rule_strings=["boat"])
    require(created.version_rules_num == 1 and changed.version_rules_num == 0, "wrong numbers of rules")
    listed = (await dictionaries.list()).pronunciation_dictionaries
    require(any(item.id == created.id for item in listed), "the dictionary is not listed")
