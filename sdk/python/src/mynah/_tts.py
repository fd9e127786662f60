"""Text to speech."""

from __future__ import annotations

import threading
from typing import Any, Generator, Iterable, Iterator, Optional, Union

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import connect

from ._audio_stream import AudioStream
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
from ._transport import Transport, api_error
from ._types import (
    AudioFormat,
    LatencyMode,
    ReferenceAudio,
    RequestOptions,
    TimedSpeech,
    TTSConfig,
    WebSocketOptions,
)

DEFAULT_CONFIG = TTSConfig()
DEFAULT_MODEL = "s2-pro"


class TTSClient:
    """Text to speech."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def convert(
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
        return self.stream(
            text=text,
            reference_id=reference_id,
            references=references,
            format=format,
            latency=latency,
            speed=speed,
            config=config,
            model=model,
            request_options=request_options,
        ).collect()

    def stream(
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
    ) -> AudioStream:
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
        return AudioStream(self._stream(body, model, request_options))

    def _stream(
        self, body: dict[str, Any], model: str, options: Optional[RequestOptions]
    ) -> Generator[bytes, None, None]:
        with self._transport.stream(speech_call("/v1/tts", body, model), options) as response:
            yield from self._transport.read(response, options)

    def stream_with_timestamps(
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
    ) -> Iterator[TimedSpeech]:
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
        with self._transport.stream(call, request_options) as response:
            for chunk in self._transport.read(response, request_options):
                yield from reader.feed(chunk)
        reader.finish()

    def stream_websocket(
        self,
        text_stream: Iterable[TextItem],
        *,
        reference_id: Union[str, list[str], None] = None,
        references: Optional[list[ReferenceAudio]] = None,
        format: Optional[AudioFormat] = None,
        latency: Optional[LatencyMode] = None,
        speed: Optional[float] = None,
        config: TTSConfig = DEFAULT_CONFIG,
        model: str = DEFAULT_MODEL,
        max_workers: int = 10,
        ws_options: Optional[WebSocketOptions] = None,
    ) -> Iterator[bytes]:
        """Speaks text while it is still being written. ``max_workers`` is taken for compatibility and not used."""
        body = speech_body(
            "",
            config,
            reference_id=reference_id,
            references=references,
            format=format,
            latency=latency,
            speed=speed,
        )
        options = ws_options or WebSocketOptions()
        settings = self._transport.settings
        try:
            socket = connect(
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

        failures: list[BaseException] = []

        def send() -> None:
            try:
                socket.send(start_frame(body))
                for item in text_stream:
                    socket.send(text_frame(item))
                socket.send(stop_frame())
            except ConnectionClosed:
                pass  # The receiving side tells why.
            except BaseException as error:
                failures.append(error)
                socket.close()

        sender = threading.Thread(target=send, name="mynah-live", daemon=True)
        try:
            sender.start()
            while True:
                heard = read_frame(socket.recv())
                if heard.is_end:
                    return
                if heard.audio:
                    yield heard.audio
        except ConnectionClosed as error:
            if failures:
                raise failures[0] from None
            raise WebSocketError("The connection broke before the speech had ended.") from error
        finally:
            socket.close()
