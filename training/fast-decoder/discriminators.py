"""Discriminators between the teacher's and the student's speech: five multi-period ones on the waveform, three
multi-band ones on the spectrum."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm

#: Output of one discriminator: its score, and its intermediate features.
DiscriminatorOutput = tuple[Tensor, list[Tensor]]


class PeriodDiscriminator(nn.Module):
    def __init__(self, period: int, widths: tuple[int, ...] = (32, 96, 192, 384, 384)):
        super().__init__()
        self.period = period
        sizes = list(zip((1, *widths[:-1]), widths))
        self.layers = nn.ModuleList(
            weight_norm(nn.Conv2d(before, after, (5, 1), (3 if depth < 4 else 1, 1), (2, 0)))
            for depth, (before, after) in enumerate(sizes)
        )
        self.judge = weight_norm(nn.Conv2d(widths[-1], 1, (3, 1), padding=(1, 0)))

    def forward(self, wave: Tensor) -> DiscriminatorOutput:
        wave = wave[:, : wave.shape[1] // self.period * self.period]
        x = wave.reshape(len(wave), 1, -1, self.period).contiguous(memory_format=torch.channels_last)
        features = []
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.1)
            features.append(x)
        return self.judge(x), features


class BandDiscriminator(nn.Module):
    EDGES = (0, 0.1, 0.25, 0.5, 0.75, 1)

    def __init__(self, size: int, width: int = 32):
        super().__init__()
        self.size = size
        self.register_buffer("window", torch.hann_window(size), persistent=False)
        marks = [int(edge * (size // 2 + 1)) for edge in self.EDGES]
        self.bands = list(zip(marks, marks[1:]))

        def stack() -> nn.ModuleList:
            first = weight_norm(nn.Conv2d(2, width, (3, 9), padding=(1, 4)))
            middle = [weight_norm(nn.Conv2d(width, width, (3, 9), (1, 2), padding=(1, 4))) for _ in range(3)]
            return nn.ModuleList([first, *middle, weight_norm(nn.Conv2d(width, width, (3, 3), padding=1))])

        self.stacks = nn.ModuleList(stack() for _ in self.bands)
        self.judge = weight_norm(nn.Conv2d(width, 1, 3, padding=1))

    def forward(self, wave: Tensor) -> DiscriminatorOutput:
        with torch.autocast(wave.device.type, enabled=False):
            wave = wave.float() - wave.float().mean(-1, keepdim=True)
            wave = 0.8 * wave / (wave.abs().amax(-1, keepdim=True) + 1e-4)
            spectrum = torch.stft(wave, self.size, self.size // 4, self.size, self.window, return_complex=True)
            image = torch.view_as_real(spectrum).permute(0, 3, 2, 1)
        features, ends = [], []
        for (low, high), stack in zip(self.bands, self.stacks):
            x = image[..., low:high].contiguous(memory_format=torch.channels_last)
            for layer in stack:
                x = F.leaky_relu(layer(x), 0.1)
                features.append(x)
            ends.append(x)
        return self.judge(torch.cat(ends, -1)), features


class Discriminators(nn.Module):
    def __init__(self):
        super().__init__()
        parts = [PeriodDiscriminator(period) for period in (2, 3, 5, 7, 11)]
        self.parts = nn.ModuleList([*parts, *(BandDiscriminator(size) for size in (2048, 1024, 512))])
        self.to(memory_format=torch.channels_last)

    def forward(self, wave: Tensor) -> list[DiscriminatorOutput]:
        return [part(wave) for part in self.parts]


def discriminator_loss(real: list[DiscriminatorOutput], made: list[DiscriminatorOutput]) -> Tensor:
    """Hinge loss: scores of the teacher above 1, of the student below -1."""
    terms = [F.relu(1 - r.float()).mean() + F.relu(1 + m.float()).mean() for (r, _), (m, _) in zip(real, made)]
    return torch.stack(terms).mean()


def adversarial_losses(real: list[DiscriminatorOutput], made: list[DiscriminatorOutput]) -> tuple[Tensor, Tensor]:
    """Adversarial loss of the student, and feature matching loss."""
    adversarial = torch.stack([-score.float().mean() for score, _ in made]).mean()
    pairs = [(r.detach().float(), m.float()) for (_, rs), (_, ms) in zip(real, made) for r, m in zip(rs, ms)]
    distances = [(r - m).abs().mean() / (r.abs().mean() + 1e-3) for r, m in pairs]
    return adversarial, torch.stack(distances).mean()
