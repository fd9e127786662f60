"""Administration of accounts, keys and the ledger. The API key needs the scope ``admin``."""

from __future__ import annotations

import datetime
import decimal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Mapping, Optional, TypedDict

from ._account import StatementFormat, statement_request, usage_request
from ._choices import UsageQuery
from ._transport import AsyncTransport, Call, Request, Transport, given, json_request, text_request
from ._types import Usage, from_wire

if TYPE_CHECKING:
    from typing_extensions import Required, Unpack


@dataclass(frozen=True)
class Wallet:
    """US dollars."""

    available: decimal.Decimal
    held: decimal.Decimal
    spent: decimal.Decimal
    topped_up: decimal.Decimal


@dataclass(frozen=True)
class AdminAccount:
    """An account and its balance."""

    id: str
    name: str
    members: list[str]
    wallet: Wallet
    created_at: datetime.datetime
    deleted_at: Optional[datetime.datetime] = None
    #: Concurrency limit; ``None``: the limit of the tier.
    concurrency_max: Optional[int] = None
    #: Whether its speech has a watermark.
    watermark: bool = False


@dataclass(frozen=True)
class AdminKey:
    """An API key. ``key``, the secret, is present only in the response that creates it."""

    id: str
    account_id: str
    name: str
    #: The public prefix of the key.
    prefix: str
    scopes: list[str]
    created_at: datetime.datetime
    spend_cap: Optional[decimal.Decimal] = None
    requests_per_minute: Optional[int] = None
    expires_at: Optional[datetime.datetime] = None
    revoked_at: Optional[datetime.datetime] = None
    last_used_at: Optional[datetime.datetime] = None
    key: Optional[str] = None


@dataclass(frozen=True)
class LedgerReport:
    """The result of a verification of the ledger."""

    is_balanced: bool
    accounts: int
    transfers: int
    open_holds: int
    charged: decimal.Decimal
    problems: list[str]


class AccountChange(TypedDict, total=False):
    """Changes of an account."""

    name: str
    members: list[str]
    concurrency_max: Optional[int]
    watermark: bool


class NewAccount(TypedDict, total=False):
    """A new account."""

    name: Required[str]
    members: list[str]
    concurrency_max: Optional[int]
    watermark: bool


class CreditBooking(TypedDict, total=False):
    """A change of credit. ``usd`` is a decimal string; only an adjustment may be negative."""

    kind: Required[Literal["top_up", "adjustment", "refund"]]
    usd: Required[str]
    id: str
    memo: str


class KeyChange(TypedDict, total=False):
    """Changes of a key. Times are ISO 8601; ``spend_cap`` is a decimal string."""

    name: str
    scopes: list[str]
    expires_at: Optional[str]
    spend_cap: Optional[str]
    requests_per_minute: Optional[int]


class NewKey(TypedDict, total=False):
    """A new key."""

    account_id: Required[str]
    name: Required[str]
    scopes: list[str]
    expires_at: Optional[str]
    spend_cap: Optional[str]
    requests_per_minute: Optional[int]


class AuditQuery(TypedDict, total=False):
    """A filter of audit events."""

    account_id: Optional[str]
    from_: Optional[str]
    to: Optional[str]
    format: Literal["jsonl", "csv"]


def _call(method: str, path: str, json: Optional[Mapping[str, Any]] = None) -> Call:
    return Call(method, f"/v1/admin{path}", json=json)


def _read_account(value: Any) -> AdminAccount:
    return from_wire(AdminAccount, value)


def _read_key(value: Any) -> AdminKey:
    return from_wire(AdminKey, value)


def _list_accounts() -> Request[list[AdminAccount]]:
    return json_request(_call("GET", "/accounts"), lambda value: list(map(_read_account, value["items"])))


def _account(account_id: str) -> Request[AdminAccount]:
    return json_request(_call("GET", f"/accounts/{account_id}"), _read_account)


def _create_account(account: NewAccount) -> Request[AdminAccount]:
    return json_request(_call("POST", "/accounts", account), _read_account)


def _update_account(account_id: str, change: AccountChange) -> Request[AdminAccount]:
    return json_request(_call("PATCH", f"/accounts/{account_id}", change), _read_account)


def _delete_account(account_id: str) -> Request[AdminAccount]:
    return json_request(_call("DELETE", f"/accounts/{account_id}"), _read_account)


def _book_credit(account_id: str, booking: CreditBooking) -> Request[AdminAccount]:
    return json_request(_call("POST", f"/accounts/{account_id}/credit", booking), _read_account)


def _statement(account_id: str, month: str, format: StatementFormat) -> Request[str]:
    return statement_request(f"/v1/admin/accounts/{account_id}/statement", month, format)


def _list_keys(account_id: Optional[str]) -> Request[list[AdminKey]]:
    call = Call("GET", "/v1/admin/keys", params=given({"account_id": account_id}))
    return json_request(call, lambda value: list(map(_read_key, value["items"])))


def _create_key(key: NewKey) -> Request[AdminKey]:
    return json_request(_call("POST", "/keys", key), _read_key)


def _update_key(key_id: str, change: KeyChange) -> Request[AdminKey]:
    return json_request(_call("PATCH", f"/keys/{key_id}", change), _read_key)


def _rotate_key(key_id: str, grace_seconds: Optional[int]) -> Request[AdminKey]:
    return json_request(_call("POST", f"/keys/{key_id}/rotate", given({"grace_seconds": grace_seconds})), _read_key)


def _revoke_key(key_id: str) -> Request[AdminKey]:
    return json_request(_call("DELETE", f"/keys/{key_id}"), _read_key)


def _verify_ledger() -> Request[LedgerReport]:
    return json_request(_call("GET", "/ledger"), lambda value: from_wire(LedgerReport, value))


def _audit(query: AuditQuery) -> Request[str]:
    params = {
        "account_id": query.get("account_id"),
        "from": query.get("from_"),
        "to": query.get("to"),
        "format": query.get("format"),
    }
    return text_request(Call("GET", "/v1/admin/audit", params=given(params)))


class AdminClient:
    """Administration. The API key needs the scope ``admin``."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_accounts(self) -> list[AdminAccount]:
        """Returns all accounts with their balances."""
        return self._transport.fetch(_list_accounts())

    def get_account(self, account_id: str) -> AdminAccount:
        return self._transport.fetch(_account(account_id))

    def create_account(self, **account: Unpack[NewAccount]) -> AdminAccount:
        return self._transport.fetch(_create_account(account))

    def update_account(self, account_id: str, **change: Unpack[AccountChange]) -> AdminAccount:
        return self._transport.fetch(_update_account(account_id, change))

    def delete_account(self, account_id: str) -> AdminAccount:
        """Revokes its keys and permanently deletes its voices, audio and texts. Ledger entries remain."""
        return self._transport.fetch(_delete_account(account_id))

    def book_credit(self, account_id: str, **booking: Unpack[CreditBooking]) -> AdminAccount:
        """Tops up, adjusts or refunds credit. A repeated ``id`` has no further effect."""
        return self._transport.fetch(_book_credit(account_id, booking))

    def get_statement(self, account_id: str, month: str, *, format: StatementFormat = "csv") -> str:
        """Returns the statement of a month such as ``2026-11``, as CSV or as a printable page."""
        return self._transport.fetch(_statement(account_id, month, format))

    def list_keys(self, *, account_id: Optional[str] = None) -> list[AdminKey]:
        """Returns all keys without their secrets."""
        return self._transport.fetch(_list_keys(account_id))

    def create_key(self, **key: Unpack[NewKey]) -> AdminKey:
        """Creates a key. Its secret, ``key``, is returned only once."""
        return self._transport.fetch(_create_key(key))

    def update_key(self, key_id: str, **change: Unpack[KeyChange]) -> AdminKey:
        return self._transport.fetch(_update_key(key_id, change))

    def rotate_key(self, key_id: str, *, grace_seconds: Optional[int] = None) -> AdminKey:
        """Creates a replacement key. The old key stays valid for the grace period."""
        return self._transport.fetch(_rotate_key(key_id, grace_seconds))

    def revoke_key(self, key_id: str) -> AdminKey:
        """Revokes a key and closes its connections."""
        return self._transport.fetch(_revoke_key(key_id))

    def get_usage(self, *, account_id: Optional[str] = None, **query: Unpack[UsageQuery]) -> Usage:
        """Returns usage and cost."""
        return self._transport.fetch(usage_request("/v1/admin/usage", query, account_id=account_id))

    def verify_ledger(self) -> LedgerReport:
        """Recomputes every balance and verifies the ledger."""
        return self._transport.fetch(_verify_ledger())

    def get_audit(self, **query: Unpack[AuditQuery]) -> str:
        """Returns the audit log, one event per line."""
        return self._transport.fetch(_audit(query))


class AsyncAdminClient:
    """Administration. The API key needs the scope ``admin``."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list_accounts(self) -> list[AdminAccount]:
        """Returns all accounts with their balances."""
        return await self._transport.fetch(_list_accounts())

    async def get_account(self, account_id: str) -> AdminAccount:
        return await self._transport.fetch(_account(account_id))

    async def create_account(self, **account: Unpack[NewAccount]) -> AdminAccount:
        return await self._transport.fetch(_create_account(account))

    async def update_account(self, account_id: str, **change: Unpack[AccountChange]) -> AdminAccount:
        return await self._transport.fetch(_update_account(account_id, change))

    async def delete_account(self, account_id: str) -> AdminAccount:
        """Revokes its keys and permanently deletes its voices, audio and texts. Ledger entries remain."""
        return await self._transport.fetch(_delete_account(account_id))

    async def book_credit(self, account_id: str, **booking: Unpack[CreditBooking]) -> AdminAccount:
        """Tops up, adjusts or refunds credit. A repeated ``id`` has no further effect."""
        return await self._transport.fetch(_book_credit(account_id, booking))

    async def get_statement(self, account_id: str, month: str, *, format: StatementFormat = "csv") -> str:
        """Returns the statement of a month such as ``2026-11``, as CSV or as a printable page."""
        return await self._transport.fetch(_statement(account_id, month, format))

    async def list_keys(self, *, account_id: Optional[str] = None) -> list[AdminKey]:
        """Returns all keys without their secrets."""
        return await self._transport.fetch(_list_keys(account_id))

    async def create_key(self, **key: Unpack[NewKey]) -> AdminKey:
        """Creates a key. Its secret, ``key``, is returned only once."""
        return await self._transport.fetch(_create_key(key))

    async def update_key(self, key_id: str, **change: Unpack[KeyChange]) -> AdminKey:
        return await self._transport.fetch(_update_key(key_id, change))

    async def rotate_key(self, key_id: str, *, grace_seconds: Optional[int] = None) -> AdminKey:
        """Creates a replacement key. The old key stays valid for the grace period."""
        return await self._transport.fetch(_rotate_key(key_id, grace_seconds))

    async def revoke_key(self, key_id: str) -> AdminKey:
        """Revokes a key and closes its connections."""
        return await self._transport.fetch(_revoke_key(key_id))

    async def get_usage(self, *, account_id: Optional[str] = None, **query: Unpack[UsageQuery]) -> Usage:
        """Returns usage and cost."""
        return await self._transport.fetch(usage_request("/v1/admin/usage", query, account_id=account_id))

    async def verify_ledger(self) -> LedgerReport:
        """Recomputes every balance and verifies the ledger."""
        return await self._transport.fetch(_verify_ledger())

    async def get_audit(self, **query: Unpack[AuditQuery]) -> str:
        """Returns the audit log, one event per line."""
        return await self._transport.fetch(_audit(query))
