"""Pronunciation dictionaries of the account."""

from __future__ import annotations

import datetime
from dataclasses import asdict, dataclass
from typing import Any, AsyncIterator, Callable, Iterator, Optional, TypeVar

from ._transport import AsyncTransport, Call, Request, Transport, given, json_request, silent_request
from ._types import RequestOptions, from_wire

_ROOT = "/v1/pronunciation-dictionaries"
_PAGE_SIZE = 100

Item = TypeVar("Item")


@dataclass(frozen=True)
class PronunciationRule:
    """The pronunciation of a word: in Arpabet, pinyin, romaji or IPA, or as other words."""

    key: str
    value: str
    case_sensitive: bool = False


@dataclass(frozen=True)
class Dictionary:
    """A dictionary; its rules are in its versions."""

    id: str
    name: str
    description: str
    created_at: datetime.datetime
    updated_at: datetime.datetime
    #: ``None`` until a version is published.
    latest_version_id: Optional[str] = None


@dataclass(frozen=True)
class DictionaryVersion:
    """A version. ``rules`` is present when a single version was requested."""

    id: str
    dictionary_id: str
    version_number: int
    rule_count: int
    created_at: datetime.datetime
    rules: Optional[list[PronunciationRule]] = None


@dataclass(frozen=True)
class _Page:
    items: list[Any]
    next_cursor: Optional[str]


def _dictionary(value: Any) -> Dictionary:
    return from_wire(Dictionary, value)


def _version(value: Any) -> DictionaryVersion:
    return from_wire(DictionaryVersion, value)


def _page(path: str, cursor: Optional[str]) -> Request[_Page]:
    call = Call("GET", path, params=given({"page_size": _PAGE_SIZE, "cursor": cursor}))
    return json_request(call, lambda value: _Page(value["items"], value["next_cursor"]))


def _get(dictionary_id: str) -> Request[Dictionary]:
    return json_request(Call("GET", f"{_ROOT}/{dictionary_id}"), _dictionary)


def _create(name: str, description: Optional[str]) -> Request[Dictionary]:
    return json_request(Call("POST", _ROOT, json=given({"name": name, "description": description})), _dictionary)


def _update(dictionary_id: str, name: Optional[str], description: Optional[str]) -> Request[Dictionary]:
    changes = given({"name": name, "description": description})
    return json_request(Call("PATCH", f"{_ROOT}/{dictionary_id}", json=changes), _dictionary)


def _delete(dictionary_id: str) -> Request[None]:
    return silent_request(Call("DELETE", f"{_ROOT}/{dictionary_id}"))


def _publish(
    dictionary_id: str, rules: list[PronunciationRule], expected_latest_version_id: Optional[str]
) -> Request[DictionaryVersion]:
    body = {
        "rules": [asdict(rule) for rule in rules],
        "expected_latest_version_id": expected_latest_version_id,
    }
    return json_request(Call("POST", f"{_ROOT}/{dictionary_id}/versions", json=given(body)), _version)


def _get_version(dictionary_id: str, version_id: str) -> Request[DictionaryVersion]:
    return json_request(Call("GET", f"{_ROOT}/{dictionary_id}/versions/{version_id}"), _version)


def _delete_version(dictionary_id: str, version_id: str) -> Request[None]:
    return silent_request(Call("DELETE", f"{_ROOT}/{dictionary_id}/versions/{version_id}"))


class DictionariesClient:
    """Pronunciation dictionaries of the account."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def iterate(self, *, request_options: Optional[RequestOptions] = None) -> Iterator[Dictionary]:
        """All dictionaries, newest first."""
        return self._items(_ROOT, _dictionary, request_options)

    def get(self, dictionary_id: str, *, request_options: Optional[RequestOptions] = None) -> Dictionary:
        return self._transport.fetch(_get(dictionary_id), request_options)

    def create(
        self, *, name: str, description: Optional[str] = None, request_options: Optional[RequestOptions] = None
    ) -> Dictionary:
        return self._transport.fetch(_create(name, description), request_options)

    def update(
        self,
        dictionary_id: str,
        *,
        name: Optional[str] = None,
        description: Optional[str] = None,
        request_options: Optional[RequestOptions] = None,
    ) -> Dictionary:
        return self._transport.fetch(_update(dictionary_id, name, description), request_options)

    def delete(self, dictionary_id: str, *, request_options: Optional[RequestOptions] = None) -> None:
        self._transport.fetch(_delete(dictionary_id), request_options)

    def publish(
        self,
        dictionary_id: str,
        rules: list[PronunciationRule],
        *,
        expected_latest_version_id: Optional[str] = None,
        request_options: Optional[RequestOptions] = None,
    ) -> DictionaryVersion:
        """Publishes the complete list of rules as the next version."""
        return self._transport.fetch(_publish(dictionary_id, rules, expected_latest_version_id), request_options)

    def versions(
        self, dictionary_id: str, *, request_options: Optional[RequestOptions] = None
    ) -> Iterator[DictionaryVersion]:
        """All versions, newest first."""
        return self._items(f"{_ROOT}/{dictionary_id}/versions", _version, request_options)

    def get_version(
        self, dictionary_id: str, version_id: str, *, request_options: Optional[RequestOptions] = None
    ) -> DictionaryVersion:
        return self._transport.fetch(_get_version(dictionary_id, version_id), request_options)

    def delete_version(
        self, dictionary_id: str, version_id: str, *, request_options: Optional[RequestOptions] = None
    ) -> None:
        self._transport.fetch(_delete_version(dictionary_id, version_id), request_options)

    def _items(
        self, path: str, read: Callable[[Any], Item], options: Optional[RequestOptions]
    ) -> Iterator[Item]:
        cursor: Optional[str] = None
        while True:
            page = self._transport.fetch(_page(path, cursor), options)
            yield from map(read, page.items)
            cursor = page.next_cursor
            if cursor is None:
                return


class AsyncDictionariesClient:
    """Pronunciation dictionaries of the account."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def iterate(self, *, request_options: Optional[RequestOptions] = None) -> AsyncIterator[Dictionary]:
        """All dictionaries, newest first."""
        return self._items(_ROOT, _dictionary, request_options)

    async def get(self, dictionary_id: str, *, request_options: Optional[RequestOptions] = None) -> Dictionary:
        return await self._transport.fetch(_get(dictionary_id), request_options)

    async def create(
        self, *, name: str, description: Optional[str] = None, request_options: Optional[RequestOptions] = None
    ) -> Dictionary:
        return await self._transport.fetch(_create(name, description), request_options)

    async def update(
        self,
        dictionary_id: str,
        *,
        name: Optional[str] = None,
        description: Optional[str] = None,
        request_options: Optional[RequestOptions] = None,
    ) -> Dictionary:
        return await self._transport.fetch(_update(dictionary_id, name, description), request_options)

    async def delete(self, dictionary_id: str, *, request_options: Optional[RequestOptions] = None) -> None:
        await self._transport.fetch(_delete(dictionary_id), request_options)

    async def publish(
        self,
        dictionary_id: str,
        rules: list[PronunciationRule],
        *,
        expected_latest_version_id: Optional[str] = None,
        request_options: Optional[RequestOptions] = None,
    ) -> DictionaryVersion:
        """Publishes the complete list of rules as the next version."""
        request = _publish(dictionary_id, rules, expected_latest_version_id)
        return await self._transport.fetch(request, request_options)

    def versions(
        self, dictionary_id: str, *, request_options: Optional[RequestOptions] = None
    ) -> AsyncIterator[DictionaryVersion]:
        """All versions, newest first."""
        return self._items(f"{_ROOT}/{dictionary_id}/versions", _version, request_options)

    async def get_version(
        self, dictionary_id: str, version_id: str, *, request_options: Optional[RequestOptions] = None
    ) -> DictionaryVersion:
        return await self._transport.fetch(_get_version(dictionary_id, version_id), request_options)

    async def delete_version(
        self, dictionary_id: str, version_id: str, *, request_options: Optional[RequestOptions] = None
    ) -> None:
        await self._transport.fetch(_delete_version(dictionary_id, version_id), request_options)

    async def _items(
        self, path: str, read: Callable[[Any], Item], options: Optional[RequestOptions]
    ) -> AsyncIterator[Item]:
        cursor: Optional[str] = None
        while True:
            page = await self._transport.fetch(_page(path, cursor), options)
            for item in page.items:
                yield read(item)
            cursor = page.next_cursor
            if cursor is None:
                return
