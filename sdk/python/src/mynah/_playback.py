"""Saving and playing audio."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Iterable, Union

from ._errors import DependencyError

_PLAYERS = {
    "mpv": ["--no-terminal", "--no-video", "--", "-"],
    "ffplay": ["-autoexit", "-nodisp", "-loglevel", "error", "-i", "-"],
}


def save(audio: Union[bytes, Iterable[bytes]], filename: Union[str, os.PathLike[str]]) -> None:
    """Writes audio to a file as it arrives. A failure leaves no file."""
    part = f"{os.fspath(filename)}.part"
    try:
        with open(part, "wb") as file:
            for chunk in [audio] if isinstance(audio, bytes) else audio:
                file.write(chunk)
        os.replace(part, filename)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise


def play(audio: Union[bytes, Iterable[bytes]]) -> None:
    """Plays audio while it arrives, with ``mpv`` or ``ffplay``, and returns at the end of playback."""
    stream([audio] if isinstance(audio, bytes) else audio)


def stream(audio_stream: Iterable[bytes]) -> bytes:
    """Plays audio while it arrives, and returns the complete audio."""
    command = next((name for name in _PLAYERS if shutil.which(name)), None)
    if command is None:
        raise DependencyError("mpv or ffplay", "apt install mpv, or brew install mpv")
    player = subprocess.Popen(
        [command, *_PLAYERS[command]],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert player.stdin is not None
    chunks: list[bytes] = []
    try:
        for chunk in audio_stream:
            chunks.append(chunk)
            player.stdin.write(chunk)
            player.stdin.flush()
        player.stdin.close()
        player.wait()
    except BrokenPipeError:
        pass  # Closing the player ends playback without an error.
    finally:
        if player.poll() is None:
            player.kill()
    return b"".join(chunks)
