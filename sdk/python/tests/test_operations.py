"""Every operation of the server can be called, with both kinds of client."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import re
from typing import Any, Callable

import httpx

from mynah import AsyncMynah, Mynah, PronunciationRule

#: An answer in which every reader finds its fields.
ANYTHING: dict[str, Any] = {
    **dict.fromkeys(["_id", "id", "user_id", "account_id", "dictionary_id", "name", "title", "description"], "x"),
    **dict.fromkeys(["type", "text", "prefix", "status", "state", "version", "visibility", "train_mode"], "x"),
    **dict.fromkeys(["cover_image"], ""),
    **dict.fromkeys(["credit", "cost", "charged"], "0"),
    **dict.fromkeys(["items", "tags", "samples", "languages", "segments", "members", "scopes", "problems"], []),
    **dict.fromkeys(["total", "balance", "duration", "progress", "heard", "version_number", "rule_count"], 0),
    **dict.fromkeys(["like_count", "mark_count", "shared_count", "task_count"], 0),
    **dict.fromkeys(["accounts", "transfers", "open_holds"], 0),
    **dict.fromkeys(["live", "ready", "is_balanced", "lock_visibility"], True),
    **dict.fromkeys(["created_at", "updated_at", "finished_at"], "2026-11-15T00:00:00Z"),
    **dict.fromkeys(["candidates", "understood", "ignored", "chapters"], []),
    "seed": 1,
    "next_cursor": None,
    "wallet": dict.fromkeys(["available", "held", "spent", "topped_up"], "0"),
    "result": {"text": "", "duration": 0, "segments": []},
    "author": {"_id": "x", "nickname": "", "avatar": ""},
}


def calls(client: Any) -> list[Callable[[], Any]]:
    """A call of every kind the library can make."""
    tts, asr, voices, account = client.tts, client.asr, client.voices, client.account
    dictionaries, admin, audiobooks = client.dictionaries, client.admin, client.audiobooks
    return [
        lambda: client.get_health(),
        lambda: tts.convert(text="x"),
        lambda: tts.stream_with_timestamps(text="x"),
        lambda: tts.dub(captions="x"),
        lambda: tts.convert_speech(audio=b"x"),
        lambda: audiobooks.create(text="x"),
        lambda: audiobooks.create(file=b"x", file_name="x.epub"),
        lambda: audiobooks.list(),
        lambda: audiobooks.get("1"),
        lambda: audiobooks.pause("1"),
        lambda: audiobooks.resume("1"),
        lambda: audiobooks.delete("1"),
        lambda: audiobooks.audio("1"),
        lambda: audiobooks.captions("1"),
        lambda: asr.transcribe(audio=b"x"),
        lambda: asr.captions(audio=b"x", format="vtt"),
        lambda: asr.submit(audio=b"x"),
        lambda: asr.get_job("1"),
        lambda: asr.cancel_job("1"),
        lambda: voices.list(),
        lambda: voices.get("1"),
        lambda: voices.create(title="x", voices=[b"x"]),
        lambda: voices.design(instruction="x"),
        lambda: voices.update("1", title="y"),
        lambda: voices.delete("1"),
        lambda: voices.sample("1", 0),
        lambda: voices.cover("1"),
        lambda: account.get_credits(),
        lambda: account.get_package(),
        lambda: account.get_usage(from_="2026-11-01", by="day"),
        lambda: account.get_statement("2026-11"),
        lambda: dictionaries.iterate(),
        lambda: dictionaries.get("1"),
        lambda: dictionaries.create(name="x"),
        lambda: dictionaries.update("1", name="y"),
        lambda: dictionaries.delete("1"),
        lambda: dictionaries.publish("1", [PronunciationRule("a", "b")]),
        lambda: dictionaries.versions("1"),
        lambda: dictionaries.get_version("1", "2"),
        lambda: dictionaries.delete_version("1", "2"),
        lambda: admin.list_accounts(),
        lambda: admin.get_account("1"),
        lambda: admin.create_account(name="x"),
        lambda: admin.update_account("1", name="y"),
        lambda: admin.delete_account("1"),
        lambda: admin.book_credit("1", kind="top_up", usd="1"),
        lambda: admin.get_statement("1", "2026-11"),
        lambda: admin.list_keys(),
        lambda: admin.create_key(account_id="1", name="x"),
        lambda: admin.update_key("1", name="y"),
        lambda: admin.rotate_key("1", grace_seconds=5),
        lambda: admin.revoke_key("1"),
        lambda: admin.get_usage(account_id="1"),
        lambda: admin.verify_ledger(),
        lambda: admin.get_audit(from_="2026-11-01"),
    ]


class Recorder:
    """Answers every request, and keeps which operation it was."""

    def __init__(self) -> None:
        self.reached: set[str] = set()
        self.operations = json.loads(os.environ["MYNAH_TEST_OPERATIONS"])

    def answer(self, request: httpx.Request) -> httpx.Response:
        for operation in self.operations:
            if operation["method"] == request.method and re.fullmatch(operation["pattern"], request.url.path):
                self.reached.add(operation["id"])
                is_stream = request.url.path.endswith("with-timestamp")
                return httpx.Response(200, content=b"" if is_stream else json.dumps(ANYTHING).encode())
        raise AssertionError(f"{request.method} {request.url.path} is no operation of the server")

    def missing(self) -> list[str]:
        return [item["id"] for item in self.operations if item["is_for_us"] and item["id"] not in self.reached]


def test_the_synchronous_client_reaches_every_operation() -> None:
    recorder = Recorder()
    http = httpx.Client(transport=httpx.MockTransport(recorder.answer))
    for call in calls(Mynah(api_key="key", base_url="http://server", httpx_client=http)):
        result = call()
        if inspect.isgenerator(result):
            list(result)
    assert recorder.missing() == []


def test_the_asynchronous_client_reaches_every_operation() -> None:
    recorder = Recorder()

    async def run() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(recorder.answer))
        for call in calls(AsyncMynah(api_key="key", base_url="http://server", httpx_client=http)):
            result = call()
            if inspect.isasyncgen(result):
                [item async for item in result]
            else:
                await result

    asyncio.run(run())
    assert recorder.missing() == []
