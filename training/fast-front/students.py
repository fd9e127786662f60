"""The two networks that replace the most expensive parts of Kokoro's front."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

ALBERT = "bert.encoder.albert_layer_groups.0.albert_layers.0."
LAYERS = 4
HEADS, WIDTH = 12, 768
EPSILON = 1e-12


class Layer(nn.Module):
    """One transformer layer; ALBERT applies the same layer twelve times."""

    def __init__(self):
        super().__init__()
        self.attend = nn.Linear(WIDTH, 3 * WIDTH)
        self.gather = nn.Linear(WIDTH, WIDTH)
        self.widen = nn.Linear(WIDTH, 2048)
        self.narrow = nn.Linear(2048, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH, EPSILON) for _ in range(2))

    def forward(self, x: Tensor, valid: Tensor | None) -> Tensor:
        batch, length, _ = x.shape
        query, key, value = self.attend(x).view(batch, length, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(query, key, value, None if valid is None else valid[:, None, None])
        x = self.norms[0](x + self.gather(seen.transpose(1, 2).reshape(batch, length, WIDTH)))
        return self.norms[1](x + self.narrow(F.gelu(self.widen(x), approximate="tanh")))


class TextEncoder(nn.Module):
    """Token ids [B, L] to text encodings [B, L, 512]; replaces ALBERT with four layers instead of twelve."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(178, 128), nn.Embedding(512, 128)
        self.norm = nn.LayerNorm(128, EPSILON)
        self.enter = nn.Linear(128, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.leave = nn.Linear(WIDTH, 512)

    def forward(self, ids: Tensor, valid: Tensor | None = None) -> Tensor:
        x = self.words(ids) + self.places.weight[: ids.shape[1]]
        x = self.enter(self.norm(x))
        for layer in self.layers:
            x = layer(x, valid)
        return self.leave(x)

    @torch.no_grad()
    def init_from_teacher(self, weights: dict[str, Tensor]) -> None:
        """Initialises every layer with the shared layer of the teacher."""

        def copy(target: nn.Module, *names: str) -> None:
            for kind in ("weight", "bias"):
                getattr(target, kind).copy_(torch.cat([weights[f"{name}.{kind}"] for name in names]))

        self.words.weight.copy_(weights["bert.embeddings.word_embeddings.weight"])
        self.places.weight.copy_(weights["bert.embeddings.position_embeddings.weight"] + weights["bert.embeddings.token_type_embeddings.weight"][0])
        copy(self.norm, "bert.embeddings.LayerNorm")
        copy(self.enter, "bert.encoder.embedding_hidden_mapping_in")
        copy(self.leave, "bert_encoder")
        for layer in self.layers:
            copy(layer.attend, *(f"{ALBERT}attention.{part}" for part in ("query", "key", "value")))
            copy(layer.gather, f"{ALBERT}attention.dense")
            copy(layer.widen, f"{ALBERT}ffn")
            copy(layer.narrow, f"{ALBERT}ffn_output")
            copy(layer.norms[0], f"{ALBERT}attention.LayerNorm")
            copy(layer.norms[1], f"{ALBERT}full_layer_layer_norm")


class Block(nn.Module):
    """ConvNeXt: a depthwise convolution over time, then two linear layers; the style scales and shifts in between (FiLM)."""

    def __init__(self, width: int, kernel: int = 7, factor: int = 3):
        super().__init__()
        self.width = width
        self.mix = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.widen = nn.Linear(width, factor * width)
        self.narrow = nn.Linear(factor * width, width)
        nn.init.normal_(self.narrow.weight, std=0.02)
        nn.init.zeros_(self.narrow.bias)

    def forward(self, x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
        y = self.mix(x.transpose(1, 2)).transpose(1, 2)
        y = F.layer_norm(y, (self.width,)) * (1 + scale) + shift
        return x + self.narrow(F.gelu(self.widen(y), approximate="tanh"))


class ProsodyPredictor(nn.Module):
    """Aligned features [B, T, 512] and the prosody half of the style [B, 128] to pitch and energy [B, 2T]. The
    receptive field is finite, so that it can run in windows."""

    SLOW, FAST = (256, 6), (128, 2)
    #: Scales of pitch in Hz and energy, about their standard deviations.
    UNITS = (100.0, 4.0)

    def __init__(self):
        super().__init__()
        (slow_width, slow), (fast_width, fast) = self.SLOW, self.FAST
        self.enter = nn.Linear(512, slow_width)
        self.slow = nn.ModuleList(Block(slow_width) for _ in range(slow))
        self.rise = nn.Linear(slow_width, 2 * fast_width)
        self.fast = nn.ModuleList(Block(fast_width) for _ in range(fast))
        self.leave = nn.Linear(fast_width, 2)
        self.widths = [slow_width] * slow + [fast_width] * fast
        self.style = nn.Sequential(nn.Linear(128, 256), nn.GELU(approximate="tanh"))
        self.film = nn.Linear(256, 2 * sum(self.widths) + slow_width)
        nn.init.normal_(self.film.weight, std=0.02)
        nn.init.zeros_(self.film.bias)

    def forward(self, aligned: Tensor, prosody: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """`mask` [B, T] is 1 for the frames of the utterance; other frames have no effect."""
        batch, frames, _ = aligned.shape
        within = (lambda x: x) if mask is None else (lambda x: x * mask.repeat_interleave(x.shape[1] // frames, 1)[..., None])
        start, *films = self.film(self.style(prosody * 2))[:, None].split([self.SLOW[0], *(2 * width for width in self.widths)], -1)
        x = within(self.enter(aligned) + start)
        for block, film in zip(self.slow, films):
            x = within(block(x, *film.chunk(2, -1)))
        x = within(self.rise(x).reshape(batch, 2 * frames, -1))
        for block, film in zip(self.fast, films[len(self.slow) :]):
            x = within(block(x, *film.chunk(2, -1)))
        pitch, energy = self.leave(x).float().unbind(-1)
        return pitch * self.UNITS[0], energy * self.UNITS[1]
