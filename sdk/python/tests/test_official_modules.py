"""Programs for the official library work after a change of the name of the module."""

from __future__ import annotations

import importlib

import mynah

#: The modules of fish-audio-sdk 1.3.0 and their names. The events and the request of its WebSocket are not public here.
OFFICIAL = {
    "utils": ["play", "save", "stream"],
    "types": [
        *["Credits", "Package", "ASRResponse", "ASRSegment", "AudioFormat", "LatencyMode", "Model", "ModelState"],
        *["PaginatedResponse", "TrainMode", "Visibility", "FlushEvent", "Prosody", "ReferenceAudio", "TextEvent"],
        *["TTSConfig", "Author", "Sample", "Voice"],
    ],
    "exceptions": [
        *["FishAudioError", "APIError", "AuthenticationError", "PermissionError", "NotFoundError", "RateLimitError"],
        *["ServerError", "WebSocketError", "ValidationError", "DependencyError"],
    ],
}


def test_the_modules_of_the_official_library_exist() -> None:
    for module, names in OFFICIAL.items():
        found = importlib.import_module(f"mynah.{module}")
        assert sorted(found.__all__) == sorted(names)
        assert all(hasattr(found, name) for name in names)


def test_the_names_are_those_of_the_package() -> None:
    from mynah.exceptions import NotFoundError
    from mynah.types import ASRSegment, Prosody
    from mynah.utils import save

    assert (save, Prosody, ASRSegment) == (mynah.save, mynah.Prosody, mynah.Segment)
    assert issubclass(NotFoundError, mynah.FishAudioError)
