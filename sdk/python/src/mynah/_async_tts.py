"""Text to speech, asynchronously."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncGenerator, AsyncIterable, AsyncIterator, Optional, Union

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from ._audio_stream import AsyncAudioStream
from ._errors import ConnectionError, WebSocketError
from ._speech_calls import (
    EventReader,
    TextItem,
    read_frame,
    speech_body,
    speech_call,
    start_frame,
    stop_frame,
    text_frame,
)
from ._transport import AsyncTransport, api_error
from ._tts import DEFAULT_CONFIG, DEFAULT_MODEL
from ._types import (
    AudioFormat,
    LatencyMode,
    ReferenceAudio,
    RequestOptions,
    TimedSpeech,
    TTSConfig,
    WebSocketOptions,
)


class AsyncTTSClient:
    """Text to speech."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def convert(
        self,
        *,
        text: str,
        reference_id: Union[str, list[str], None] = None,
        references: Optional[list[ReferenceAudio]] = None,
        format: Optional[AudioFormat] = None,
        latency: Optional[LatencyMode] = None,
        speed: Optional[float] = None,
        config: TTSConfig = DEFAULT_CONFIG,
        model: str = DEFAULT_MODEL,
        request_options: Optional[RequestOptions] = None,
    ) -> bytes:
        """Speaks a text and returns the whole audio file."""
        stream = await self.stream(
            text=text,
            reference_id=reference_id,
            references=references,
            format=format,
            latency=latency,
            speed=speed,
            config=config,
            model=model,
            request_options=request_options,
        )
        return await stream.collect()

    async def stream(
        self,
        *,
        text: str,
        reference_id: Union[str, list[str], None] = None,
        references: Optional[list[ReferenceAudio]] = None,
        format: Optional[AudioFormat] = None,
        latency: Optional[LatencyMode] = None,
        speed: Optional[float] = None,
        config: TTSConfig = DEFAULT_CONFIG,
        model: str = DEFAULT_MODEL,
        request_options: Optional[RequestOptions] = None,
    ) -> AsyncAudioStream:
        """Speaks a text; the audio comes while it is made."""
        body = speech_body(
            text,
            config,
            reference_id=reference_id,
            references=references,
            format=format,
            latency=latency,
            speed=speed,
        )
        return AsyncAudioStream(self._stream(body, model, request_options))

    async def _stream(
        self, body: dict[str, Any], model: str, options: Optional[RequestOptions]
    ) -> AsyncGenerator[bytes, None]:
        async with self._transport.stream(speech_call("/v1/tts", body, model), options) as response:
            async for chunk in self._transport.read(response, options):
                yield chunk

    async def stream_with_timestamps(
        self,
        *,
        text: str,
        reference_id: Union[str, list[str], None] = None,
        references: Optional[list[ReferenceAudio]] = None,
        format: Optional[AudioFormat] = None,
        latency: Optional[LatencyMode] = None,
        speed: Optional[float] = None,
        config: TTSConfig = DEFAULT_CONFIG,
        model: str = DEFAULT_MODEL,
        request_options: Optional[RequestOptions] = None,
    ) -> AsyncIterator[TimedSpeech]:
        """Speaks a text and tells when each word is heard."""
        body = speech_body(
            text,
            config,
            reference_id=reference_id,
            references=references,
            format=format,
            latency=latency,
            speed=speed,
        )
        call = speech_call("/v1/tts/stream/with-timestamp", body, model, "text/event-stream")
        reader = EventReader()
        async with self._transport.stream(call, request_options) as response:
            async for chunk in self._transport.read(response, request_options):
                for event in reader.feed(chunk):
                    yield event
        reader.finish()

    async def stream_websocket(
        self,
        text_stream: AsyncIterable[TextItem],
        *,
        reference_id: Union[str, list[str], None] = None,
        references: Optional[list[ReferenceAudio]] = None,
        format: Optional[AudioFormat] = None,
        latency: Optional[LatencyMode] = None,
        speed: Optional[float] = None,
        config: TTSConfig = DEFAULT_CONFIG,
        model: str = DEFAULT_MODEL,
        ws_options: Optional[WebSocketOptions] = None,
    ) -> AsyncIterator[bytes]:
        """Speaks text while it is still being written."""
        body = speech_body(
            "",
            config,
            reference_id=reference_id,
            references=references,
            format=format,
            latency=latency,
            speed=speed,
        )
        socket = await self._open(model, ws_options or WebSocketOptions())
        sending = asyncio.create_task(_send(socket, body, text_stream))
        try:
            while True:
                heard = read_frame(await socket.recv())
                if heard.is_end:
                    return
                if heard.audio:
                    yield heard.audio
        except ConnectionClosed as error:
            if sending.done() and not sending.cancelled() and sending.exception() is not None:
                await sending
            raise WebSocketError("The connection broke before the speech had ended.") from error
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            await socket.close()

    async def _open(self, model: str, options: WebSocketOptions) -> ClientConnection:
        settings = self._transport.settings
        try:
            return await connect(
                settings.socket_url + "/v1/tts/live",
                additional_headers=settings.headers({"model": model}),
                user_agent_header=None,
                open_timeout=settings.timeout,
                ping_interval=options.keepalive_ping_interval_seconds,
                ping_timeout=options.keepalive_ping_timeout_seconds,
                max_size=options.max_message_size_bytes,
            )
        except InvalidStatus as refusal:
            answer = refusal.response
            raise api_error(answer.status_code, answer.headers, (answer.body or b"").decode()) from refusal
        except (OSError, WebSocketException) as error:
            raise ConnectionError(f"The server cannot be reached: {error}.") from error


async def _send(socket: ClientConnection, body: dict[str, Any], text: AsyncIterable[TextItem]) -> None:
    try:
        await socket.send(start_frame(body))
        async for item in text:
            await socket.send(text_frame(item))
        await socket.send(stop_frame())
    except ConnectionClosed:
        pass  # The receiving side tells why.
    except Exception:
        await socket.close()
        raise
