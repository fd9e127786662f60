"""Asynchronous text to speech."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, AsyncGenerator, AsyncIterable, AsyncIterator, Optional

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from ._audio_stream import AsyncAudioStream
from ._choices import ConversionChoices, DubChoices, SpeechChoices
from ._errors import ConnectionError, WebSocketError
from ._events import EventReader
from ._speech_calls import (
    DEFAULT_MODEL,
    TextItem,
    conversion_call,
    dub_call,
    read_frame,
    speech_call,
    start_frame,
    stop_frame,
    text_frame,
    timed_speech,
)
from ._transport import AsyncTransport, Call, api_error
from ._types import RequestOptions, TimedSpeech, WebSocketOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncTTSClient:
    """Text to speech."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def convert(
        self,
        *,
        text: str,
        request_options: Optional[RequestOptions] = None,
        **choices: Unpack[SpeechChoices],
    ) -> bytes:
        """Synthesizes a text and returns the complete audio file."""
        stream = await self.stream(text=text, request_options=request_options, **choices)
        return await stream.collect()

    async def stream(
        self,
        *,
        text: str,
        request_options: Optional[RequestOptions] = None,
        **choices: Unpack[SpeechChoices],
    ) -> AsyncAudioStream:
        """Synthesizes a text and returns the audio as a stream."""
        return AsyncAudioStream(self._stream(speech_call("/v1/tts", text, choices), request_options))

    async def dub(
        self,
        *,
        captions: str,
        request_options: Optional[RequestOptions] = None,
        **choices: Unpack[DubChoices],
    ) -> bytes:
        """Speaks the captions of an ``.srt`` or ``.vtt`` file at their times."""
        return await AsyncAudioStream(self._stream(dub_call(captions, choices), request_options)).collect()

    async def convert_speech(
        self,
        *,
        audio: bytes,
        request_options: Optional[RequestOptions] = None,
        **choices: Unpack[ConversionChoices],
    ) -> bytes:
        """Speaks a recording with another voice, with the timing and the melody of its words."""
        stream = AsyncAudioStream(self._stream(conversion_call(audio, choices), request_options))
        return await stream.collect()

    async def _stream(self, call: Call, options: Optional[RequestOptions]) -> AsyncGenerator[bytes, None]:
        async with self._transport.stream(call, options) as response:
            async for chunk in self._transport.read(response, options):
                yield chunk

    async def stream_with_timestamps(
        self,
        *,
        text: str,
        request_options: Optional[RequestOptions] = None,
        **choices: Unpack[SpeechChoices],
    ) -> AsyncIterator[TimedSpeech]:
        """Synthesizes a text with word times."""
        call = speech_call("/v1/tts/stream/with-timestamp", text, choices, "text/event-stream")
        events = EventReader()
        async with self._transport.stream(call, request_options) as response:
            async for chunk in self._transport.read(response, request_options):
                for _, data in events.feed(chunk):
                    yield timed_speech(data)
        events.finish()

    async def stream_websocket(
        self,
        text_stream: AsyncIterable[TextItem],
        *,
        ws_options: Optional[WebSocketOptions] = None,
        **choices: Unpack[SpeechChoices],
    ) -> AsyncIterator[bytes]:
        """Synthesizes text while it arrives."""
        socket = await self._open(choices.get("model", DEFAULT_MODEL), ws_options or WebSocketOptions())
        sending = asyncio.create_task(_send(socket, choices, text_stream))
        try:
            while True:
                frame = read_frame(await socket.recv())
                if frame.is_end:
                    return
                if frame.audio:
                    yield frame.audio
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
            response = refusal.response
            raise api_error(response.status_code, response.headers, (response.body or b"").decode()) from refusal
        except (OSError, WebSocketException) as error:
            raise ConnectionError(f"The server cannot be reached: {error}.") from error


async def _send(socket: ClientConnection, choices: SpeechChoices, text: AsyncIterable[TextItem]) -> None:
    try:
        await socket.send(start_frame(choices))
        async for item in text:
            await socket.send(text_frame(item))
        await socket.send(stop_frame())
    except ConnectionClosed:
        pass  # The receiving side raises the error.
    except Exception:
        await socket.close()
        raise
