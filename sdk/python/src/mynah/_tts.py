"""Text to speech."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Generator, Iterable, Iterator, Optional

from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from ._audio_stream import AudioStream
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
from ._transport import Call, Transport, api_error
from ._types import RequestOptions, TimedSpeech, WebSocketOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class TTSClient:
    """Text to speech."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def convert(
        self,
        *,
        text: str,
        request_options: Optional[RequestOptions] = None,
        **choices: Unpack[SpeechChoices],
    ) -> bytes:
        """Synthesizes a text and returns the complete audio file."""
        return self.stream(text=text, request_options=request_options, **choices).collect()

    def stream(
        self,
        *,
        text: str,
        request_options: Optional[RequestOptions] = None,
        **choices: Unpack[SpeechChoices],
    ) -> AudioStream:
        """Synthesizes a text and returns the audio as a stream."""
        return AudioStream(self._stream(speech_call("/v1/tts", text, choices), request_options))

    def dub(
        self,
        *,
        captions: str,
        request_options: Optional[RequestOptions] = None,
        **choices: Unpack[DubChoices],
    ) -> bytes:
        """Speaks the captions of an ``.srt`` or ``.vtt`` file at their times."""
        return AudioStream(self._stream(dub_call(captions, choices), request_options)).collect()

    def convert_speech(
        self,
        *,
        audio: bytes,
        request_options: Optional[RequestOptions] = None,
        **choices: Unpack[ConversionChoices],
    ) -> bytes:
        """Speaks a recording with another voice, with the timing and the melody of its words."""
        return AudioStream(self._stream(conversion_call(audio, choices), request_options)).collect()

    def _stream(self, call: Call, options: Optional[RequestOptions]) -> Generator[bytes, None, None]:
        with self._transport.stream(call, options) as response:
            yield from self._transport.read(response, options)

    def stream_with_timestamps(
        self,
        *,
        text: str,
        request_options: Optional[RequestOptions] = None,
        **choices: Unpack[SpeechChoices],
    ) -> Iterator[TimedSpeech]:
        """Synthesizes a text with word times."""
        call = speech_call("/v1/tts/stream/with-timestamp", text, choices, "text/event-stream")
        events = EventReader()
        with self._transport.stream(call, request_options) as response:
            for chunk in self._transport.read(response, request_options):
                for _, data in events.feed(chunk):
                    yield timed_speech(data)
        events.finish()

    def stream_websocket(
        self,
        text_stream: Iterable[TextItem],
        *,
        max_workers: int = 10,
        ws_options: Optional[WebSocketOptions] = None,
        **choices: Unpack[SpeechChoices],
    ) -> Iterator[bytes]:
        """Synthesizes text while it arrives. ``max_workers`` is accepted for compatibility and ignored."""
        failures: list[BaseException] = []
        with ExitStack() as stack:
            model = choices.get("model", DEFAULT_MODEL)
            socket = self._open(stack, model, ws_options or WebSocketOptions())

            def send() -> None:
                try:
                    socket.send(start_frame(choices))
                    for item in text_stream:
                        socket.send(text_frame(item))
                    socket.send(stop_frame())
                except ConnectionClosed:
                    pass  # The receiving side raises the error.
                except BaseException as error:
                    failures.append(error)
                    socket.close()

            threading.Thread(target=send, name="mynah-live", daemon=True).start()
            try:
                while True:
                    frame = read_frame(socket.recv())
                    if frame.is_end:
                        return
                    if frame.audio:
                        yield frame.audio
            except ConnectionClosed as error:
                if failures:
                    raise failures[0] from None
                raise WebSocketError("The connection broke before the speech had ended.") from error

    def _open(self, stack: ExitStack, model: str, options: WebSocketOptions) -> Connection:
        """A socket that is closed when the stack ends."""
        settings = self._transport.settings
        try:
            return stack.enter_context(
                connect(
                    settings.socket_url + "/v1/tts/live",
                    additional_headers=settings.headers({"model": model}),
                    user_agent_header=None,
                    open_timeout=settings.timeout,
                    ping_interval=options.keepalive_ping_interval_seconds,
                    ping_timeout=options.keepalive_ping_timeout_seconds,
                    max_size=options.max_message_size_bytes,
                )
            )
        except InvalidStatus as refusal:
            response = refusal.response
            raise api_error(response.status_code, response.headers, (response.body or b"").decode()) from refusal
        except (OSError, WebSocketException) as error:
            raise ConnectionError(f"The server cannot be reached: {error}.") from error
