"""The clients."""

from __future__ import annotations

from types import TracebackType
from typing import Optional

import httpx

from ._account import AccountClient, AsyncAccountClient
from ._admin import AdminClient, AsyncAdminClient
from ._asr import ASRClient, AsyncASRClient
from ._async_tts import AsyncTTSClient
from ._audiobooks import AsyncAudiobooksClient, AudiobooksClient
from ._dictionaries import AsyncDictionariesClient, DictionariesClient
from ._transport import AsyncTransport, Call, Settings, Transport, json_request
from ._tts import TTSClient
from ._types import Health, from_wire
from ._voices import AsyncVoicesClient, VoicesClient

_HEALTH = json_request(Call("GET", "/v1/health"), lambda value: from_wire(Health, value))


class Mynah:
    """A client for a Mynah server.

    The key may also come from the environment variables ``MYNAH_API_KEY`` or ``FISH_API_KEY``, the address from
    ``MYNAH_BASE_URL``.
    """

    def __init__(
        self,
        *,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        timeout: float = 240.0,
        max_retries: int = 2,
        httpx_client: Optional[httpx.Client] = None,
    ) -> None:
        self._transport = Transport(Settings(api_key, base_url, timeout, max_retries), httpx_client)
        self.tts = TTSClient(self._transport)
        self.audiobooks = AudiobooksClient(self._transport)
        self.asr = ASRClient(self._transport)
        self.voices = VoicesClient(self._transport)
        self.account = AccountClient(self._transport)
        self.dictionaries = DictionariesClient(self._transport)
        self.admin = AdminClient(self._transport)

    def get_health(self) -> Health:
        """The state of the server."""
        return self._transport.fetch(_HEALTH)

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> Mynah:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()


class AsyncMynah:
    """An asynchronous client for a Mynah server."""

    def __init__(
        self,
        *,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        timeout: float = 240.0,
        max_retries: int = 2,
        httpx_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self._transport = AsyncTransport(Settings(api_key, base_url, timeout, max_retries), httpx_client)
        self.tts = AsyncTTSClient(self._transport)
        self.audiobooks = AsyncAudiobooksClient(self._transport)
        self.asr = AsyncASRClient(self._transport)
        self.voices = AsyncVoicesClient(self._transport)
        self.account = AsyncAccountClient(self._transport)
        self.dictionaries = AsyncDictionariesClient(self._transport)
        self.admin = AsyncAdminClient(self._transport)

    async def get_health(self) -> Health:
        """The state of the server."""
        return await self._transport.fetch(_HEALTH)

    async def close(self) -> None:
        await self._transport.close()

    async def __aenter__(self) -> AsyncMynah:
        return self

    async def __aexit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        await self.close()


#: The names of the official library, so that switching is one import.
FishAudio = Mynah
AsyncFishAudio = AsyncMynah
