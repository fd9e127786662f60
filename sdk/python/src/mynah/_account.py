"""The account of the API key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Optional

from ._choices import UsageQuery
from ._transport import AsyncTransport, Call, Request, Transport, given, json_request, text_request
from ._types import Credits, Package, RequestOptions, Usage, from_wire

if TYPE_CHECKING:
    from typing_extensions import Unpack

StatementFormat = Literal["csv", "html"]


def _credits(check_free_credit: Optional[bool]) -> Request[Credits]:
    params = {} if check_free_credit is None else {"check_free_credit": str(check_free_credit).lower()}
    call = Call("GET", "/wallet/self/api-credit", params=params)
    return json_request(call, lambda value: from_wire(Credits, value))


def _package() -> Request[Package]:
    return json_request(Call("GET", "/wallet/self/package"), lambda value: from_wire(Package, value))


def usage_request(path: str, query: UsageQuery, **further: Optional[str]) -> Request[Usage]:
    """A usage request: of the account, or of all accounts for an operator."""
    params: dict[str, Any] = {"from": query.get("from_"), "to": query.get("to"), "by": query.get("by"), **further}
    return json_request(Call("GET", path, params=given(params)), lambda value: from_wire(Usage, value))


def statement_request(path: str, month: str, format: StatementFormat) -> Request[str]:
    """The statement of a month."""
    return text_request(Call("GET", path, params={"month": month, "format": format}))


class AccountClient:
    """The account of the API key."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_credits(
        self, *, check_free_credit: Optional[bool] = None, request_options: Optional[RequestOptions] = None
    ) -> Credits:
        """Returns the remaining credit."""
        return self._transport.fetch(_credits(check_free_credit), request_options)

    def get_package(self, *, request_options: Optional[RequestOptions] = None) -> Package:
        return self._transport.fetch(_package(), request_options)

    def get_usage(self, **query: Unpack[UsageQuery]) -> Usage:
        """Returns usage and cost."""
        return self._transport.fetch(usage_request("/v1/usage", query), query.get("request_options"))

    def get_statement(
        self, month: str, *, format: StatementFormat = "csv", request_options: Optional[RequestOptions] = None
    ) -> str:
        """Returns the statement of a month such as ``2026-11``, as CSV or as a printable page."""
        return self._transport.fetch(statement_request("/v1/statement", month, format), request_options)


class AsyncAccountClient:
    """The account of the API key."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get_credits(
        self, *, check_free_credit: Optional[bool] = None, request_options: Optional[RequestOptions] = None
    ) -> Credits:
        """Returns the remaining credit."""
        return await self._transport.fetch(_credits(check_free_credit), request_options)

    async def get_package(self, *, request_options: Optional[RequestOptions] = None) -> Package:
        return await self._transport.fetch(_package(), request_options)

    async def get_usage(self, **query: Unpack[UsageQuery]) -> Usage:
        """Returns usage and cost."""
        return await self._transport.fetch(usage_request("/v1/usage", query), query.get("request_options"))

    async def get_statement(
        self, month: str, *, format: StatementFormat = "csv", request_options: Optional[RequestOptions] = None
    ) -> str:
        """Returns the statement of a month such as ``2026-11``, as CSV or as a printable page."""
        return await self._transport.fetch(statement_request("/v1/statement", month, format), request_options)
