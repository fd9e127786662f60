"""The front in one network: tokens, prosody style and speed to durations, text features, pitch and energy.

Blocks over tokens mix neighbours by depthwise convolutions and the whole text by attention. Pitch and energy are made by
blocks over frames of 25 ms and half frames, from the features of the token that a frame belongs to."""

import math

import torch
import torch.nn.functional as F
from decoder import Int8Linear
from torch import Tensor, nn

TOKENS, FEATURES, STYLE = 178, 512, 128
WIDTH, HEADS = 256, 4
SHARED, OF_TEXT, OF_PROSODY = 3, 2, 3
#: Width and number of blocks over frames and over half frames.
SLOW, FAST = (192, 4), (96, 2)
KERNEL, FACTOR = 7, 2
#: Scales of pitch in Hz and energy, about their standard deviations.
UNITS = (100.0, 4.0)
#: What a frame knows of its token: where in it it lies, from both ends, and how long it is.
PLACES = 4


class Mix(nn.Module):
    """ConvNeXt: a depthwise convolution, then two linear layers; a style scales and shifts between."""

    def __init__(self, width: int):
        super().__init__()
        self.width = width
        self.mix = nn.Conv1d(width, width, KERNEL, padding=KERNEL // 2, groups=width)
        self.widen = Int8Linear(width, FACTOR * width)
        self.narrow = Int8Linear(FACTOR * width, width)
        nn.init.normal_(self.narrow.weight, std=0.02)
        nn.init.zeros_(self.narrow.bias)

    def forward(self, x: Tensor, scale: Tensor | float = 0.0, shift: Tensor | float = 0.0) -> Tensor:
        y = self.mix(x.transpose(1, 2)).transpose(1, 2)
        y = F.layer_norm(y, (self.width,)) * (1 + scale) + shift
        return x + self.narrow(F.relu(self.widen(y)))


class Attend(nn.Module):
    """Self-attention over all tokens. It knows no places: the convolutions before it do."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.inputs = Int8Linear(WIDTH, 3 * WIDTH)
        self.gather = Int8Linear(WIDTH, WIDTH)
        nn.init.normal_(self.gather.weight, std=0.02)
        nn.init.zeros_(self.gather.bias)

    def forward(self, x: Tensor, valid: Tensor | None) -> Tensor:
        batch, length, _ = x.shape
        query, key, value = self.inputs(self.norm(x)).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)
        if valid is not None:
            scores = scores.masked_fill(~valid[:, None, None], -1e4)
        seen = torch.softmax(scores, -1) @ value
        return x + self.gather(seen.transpose(1, 2).reshape(batch, length, WIDTH))


class Front(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(TOKENS, WIDTH)
        nn.init.normal_(self.words.weight, std=0.5)
        self.shared = nn.ModuleList(Mix(WIDTH) for _ in range(SHARED))
        self.shared_attend = nn.ModuleList(Attend() for _ in range(SHARED))
        self.text = nn.ModuleList(Mix(WIDTH) for _ in range(OF_TEXT))
        self.text_norm = nn.LayerNorm(WIDTH)
        self.text_leave = Int8Linear(WIDTH, FEATURES)
        self.prosody = nn.ModuleList(Mix(WIDTH) for _ in range(OF_PROSODY))
        self.prosody_attend = nn.ModuleList(Attend() for _ in range(OF_PROSODY))
        self.prosody_norm = nn.LayerNorm(WIDTH)
        self.duration = nn.Linear(WIDTH, 1)
        nn.init.constant_(self.duration.bias, 2.0)
        (slow_width, slow), (fast_width, fast) = SLOW, FAST
        self.enter = Int8Linear(WIDTH, slow_width)
        self.place = nn.Linear(PLACES, slow_width)
        self.slow = nn.ModuleList(Mix(slow_width) for _ in range(slow))
        self.rise = Int8Linear(slow_width, 2 * fast_width)
        self.fast = nn.ModuleList(Mix(fast_width) for _ in range(fast))
        self.leave = nn.Linear(fast_width, 2)
        self.films = [WIDTH] * OF_PROSODY + [slow_width] * slow
        self.style = nn.Sequential(nn.Linear(STYLE, 256), nn.GELU(approximate="tanh"))
        self.film = nn.Linear(256, 2 * sum(self.films))
        nn.init.normal_(self.film.weight, std=0.02)
        nn.init.zeros_(self.film.bias)

    def read(self, ids: Tensor, style: Tensor, valid: Tensor | None) -> tuple[Tensor, Tensor, Tensor, list[Tensor]]:
        """Text features [B, L, 512], durations in frames before rounding [B, L], features for the frames [B, L, slow width],
        and what the style is for the blocks over frames."""
        within = (lambda x: x) if valid is None else (lambda x: x * valid[..., None])
        films = list(self.film(self.style(style * 2))[:, None].split([2 * width for width in self.films], -1))
        x = within(self.words(ids))
        for mix, attend in zip(self.shared, self.shared_attend):
            x = within(attend(mix(x), valid))
        text = x
        for mix in self.text:
            text = within(mix(text))
        for mix, attend, film in zip(self.prosody, self.prosody_attend, films):
            x = within(attend(mix(x, *film.chunk(2, -1)), valid))
        x = self.prosody_norm(x)
        durations = F.softplus(self.duration(x).float())[..., 0]
        return self.text_leave(self.text_norm(text)), durations, self.enter(x), films[OF_PROSODY:]

    def sing(self, entered: Tensor, token: Tensor, places: Tensor, films: list[Tensor], mask: Tensor | None) -> tuple[Tensor, Tensor]:
        """Pitch and energy [B, 2T] of frames that belong to `token` [B, T], at these places [B, T, 4] in it."""
        batch, frames = token.shape
        within = (lambda x: x) if mask is None else (lambda x: x * mask.repeat_interleave(x.shape[1] // frames, 1)[..., None])
        x = torch.gather(entered, 1, token[..., None].expand(-1, -1, SLOW[0])) if mask is not None else entered[:, token[0]]
        x = within(x + self.place(places))
        for mix, film in zip(self.slow, films):
            x = within(mix(x, *film.chunk(2, -1)))
        x = within(self.rise(x).reshape(batch, 2 * frames, FAST[0]))
        for mix in self.fast:
            x = within(mix(x))
        pitch, energy = self.leave(x.float()).unbind(-1)
        return pitch * UNITS[0], energy * UNITS[1]


def alignment(durations: Tensor, frames: int) -> tuple[Tensor, Tensor]:
    """The token of each frame [B, T] and its places [B, T, 4]; `durations` [B, L] are whole frames."""
    ends = durations.cumsum(1)
    clock = torch.arange(frames, device=durations.device)[None].expand(len(durations), -1).contiguous()
    token = torch.searchsorted(ends, clock, right=True).clamp(max=durations.shape[1] - 1)
    length = torch.gather(durations, 1, token).clamp(min=1).float()
    since = (clock - torch.gather(ends - durations, 1, token)).float() + 0.5
    # Frames behind the last token are left out later, but must be finite.
    return token, place_features(torch.minimum(since, length), length)


def place_features(since: Tensor, length: Tensor) -> Tensor:
    return torch.stack([since / length, 1 / (since + 0.5), 1 / (length - since + 0.5), torch.log2(length) * 0.3], -1)
