"""Kokoro-82M v1.0 in PyTorch, for batches of utterances of different lengths, reimplemented from the official ONNX
file with the weights that `prepare.py` extracts from it. Without noise it equals the file at 1/1.5 of its level: the
inverse transform of the file normalises by the overlapping windows only within the first one."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

RATE, FRAME = 24000, 600
HARMONICS = 9
SNAKE_DILATIONS = (1, 3, 5)
ALBERT = "bert.encoder.albert_layer_groups.0.albert_layers.0."
GENERATOR = "decoder.generator."


class Teacher:
    def __init__(self, weights: dict[str, Tensor], device: str):
        self.device = device
        self.weights = {name: value.float().to(device) for name, value in weights.items()}
        self.lstms = {name.removesuffix(".weight_ih_l0"): None for name in weights if name.endswith(".weight_ih_l0")}
        for name in self.lstms:
            hidden, inputs = self.weights[f"{name}.weight_ih_l0"].shape
            lstm = nn.LSTM(inputs, hidden // 4, batch_first=True, bidirectional=True)
            lstm.load_state_dict({key: self.weights[f"{name}.{key}"] for key, _ in lstm.named_parameters()})
            self.lstms[name] = lstm.to(device).requires_grad_(False)

    # Layers

    def linear(self, name: str, x: Tensor) -> Tensor:
        return F.linear(x, self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias"))

    def conv(self, name: str, x: Tensor, **how) -> Tensor:
        return F.conv1d(x, self.weights[f"{name}.weight"], self.weights.get(f"{name}.bias"), **how)

    def rise(self, name: str, x: Tensor, **how) -> Tensor:
        return F.conv_transpose1d(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"], **how)

    def norm(self, name: str, x: Tensor, keys: tuple[str, str], epsilon: float) -> Tensor:
        weight, bias = (self.weights[f"{name}.{key}"] for key in keys)
        return F.layer_norm(x, x.shape[-1:], weight, bias, epsilon)

    def lstm(self, name: str, x: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(self.lstms[name](packed)[0], batch_first=True, total_length=x.shape[1])[0]

    def styled_norm(self, name: str, x: Tensor, style: Tensor, mask: Tensor) -> Tensor:
        """Instance normalisation over the frames of the mask, with scale and shift from the style."""
        scale, shift = self.linear(f"{name}.fc", style)[..., None].chunk(2, 1)
        count = mask.sum(-1, keepdim=True)
        centred = (x - (x * mask).sum(-1, keepdim=True) / count) * mask
        variance = (centred * centred).sum(-1, keepdim=True) / count
        return ((1 + scale) * torch.rsqrt(variance + 1e-5) * centred + shift) * mask

    def residual(self, name: str, x: Tensor, style: Tensor, mask: Tensor, doubling: bool = False) -> Tensor:
        y = F.leaky_relu(self.styled_norm(f"{name}.norm1", x, style, mask), 0.2)
        if doubling:
            y = self.rise(f"{name}.pool", y, stride=2, padding=1, output_padding=1, groups=y.shape[1])
            mask, x = mask.repeat_interleave(2, -1), x.repeat_interleave(2, -1)
            y = y * mask
        y = self.conv(f"{name}.conv1", y, padding=1)
        y = F.leaky_relu(self.styled_norm(f"{name}.norm2", y, style, mask), 0.2)
        y = self.conv(f"{name}.conv2", y, padding=1)
        if f"{name}.conv1x1.weight" in self.weights:
            x = self.conv(f"{name}.conv1x1", x)
        return (y + x) * mask / math.sqrt(2)

    def snake_blocks(self, name: str, x: Tensor, style: Tensor, mask: Tensor, kernel: int) -> Tensor:
        for number, dilation in enumerate(SNAKE_DILATIONS):
            y = x
            for half, stretch in (("1", dilation), ("2", 1)):
                y = self.styled_norm(f"{name}.adain{half}.{number}", y, style, mask)
                alpha = self.weights[f"{name}.alpha{half}.{number}"]
                y = (y + torch.sin(alpha * y) ** 2 / alpha) * mask
                y = self.conv(f"{name}.convs{half}.{number}", y, padding=(kernel - 1) * stretch // 2, dilation=stretch)
            x = (x + y) * mask
        return x

    # Front: tokens to durations, text features, pitch and energy

    def albert(self, ids: Tensor, valid: Tensor) -> Tensor:
        embeddings = "bert.embeddings."
        table = lambda kind: self.weights[f"{embeddings}{kind}_embeddings.weight"]
        batch, length = ids.shape
        x = table("word")[ids] + table("position")[:length] + table("token_type")[0]
        x = self.norm(f"{embeddings}LayerNorm", x, ("weight", "bias"), 1e-12)
        x = self.linear("bert.encoder.embedding_hidden_mapping_in", x)
        heads = lambda part: self.linear(f"{ALBERT}attention.{part}", x).view(batch, length, 12, 64).transpose(1, 2)
        for _ in range(12):
            seen = F.scaled_dot_product_attention(heads("query"), heads("key"), heads("value"), valid[:, None, None])
            seen = self.linear(f"{ALBERT}attention.dense", seen.transpose(1, 2).reshape(batch, length, -1))
            x = self.norm(f"{ALBERT}attention.LayerNorm", x + seen, ("weight", "bias"), 1e-12)
            y = F.gelu(self.linear(f"{ALBERT}ffn", x), approximate="tanh")
            x = self.norm(f"{ALBERT}full_layer_layer_norm", x + self.linear(f"{ALBERT}ffn_output", y), ("weight", "bias"), 1e-12)
        return x

    def encode_text(self, ids: Tensor, valid: Tensor) -> Tensor:
        """Text encodings of the tokens by ALBERT, [B, L, 512]."""
        return self.linear("bert_encoder", self.albert(ids, valid))

    def predict_durations(self, encodings: Tensor, lengths: Tensor, valid: Tensor, prosody: Tensor, speed: Tensor) -> tuple[Tensor, Tensor]:
        """Prosody features of the tokens with the style appended [B, L, 640], and their durations in frames [B, L]."""
        batch, length, _ = encodings.shape
        every = prosody[:, None].expand(batch, length, 128)
        x = torch.cat([encodings, every], -1) * valid[..., None]
        for layer in (0, 2, 4):
            x = self.lstm(f"predictor.text_encoder.lstms.{layer}", x, lengths)
            scale, shift = self.linear(f"predictor.text_encoder.lstms.{layer + 1}.fc", prosody)[:, None].chunk(2, -1)
            x = (1 + scale) * F.layer_norm(x, (512,)) + shift
            x = torch.cat([x, every], -1) * valid[..., None]
        durations = self.linear("predictor.duration_proj.linear_layer", self.lstm("predictor.lstm", x, lengths))
        return x, torch.round(torch.sigmoid(durations).sum(-1) / speed).clamp(min=1).long() * valid

    def align(self, values: Tensor, durations: Tensor) -> Tensor:
        """Repeats values of tokens [B, L, C] over their frames [B, T, C]."""
        batch, length, width = values.shape
        frames = durations.sum(1)
        clock = torch.arange(int(frames.max()), device=self.device)[None].expand(batch, -1).contiguous()
        token = torch.searchsorted(durations.cumsum(1), clock, right=True).clamp(max=length - 1)[..., None]
        return torch.gather(values, 1, token.expand(-1, -1, width)) * (clock < frames[:, None])[..., None]

    def contours(self, aligned: Tensor, frames: Tensor, prosody: Tensor) -> tuple[Tensor, Tensor]:
        """Pitch and energy [B, 2T] from the aligned features of `predict_durations`."""
        mask = (torch.arange(aligned.shape[1], device=self.device) < frames[:, None]).float()[:, None]
        shared = self.lstm("predictor.shared", aligned, frames).transpose(1, 2) * mask
        contours = []
        for kind in ("F0", "N"):
            y = self.residual(f"predictor.{kind}.0", shared, prosody, mask)
            y = self.residual(f"predictor.{kind}.1", y, prosody, mask, doubling=True)
            doubled = mask.repeat_interleave(2, -1)
            y = self.residual(f"predictor.{kind}.2", y, prosody, doubled)
            contours.append((self.conv(f"predictor.{kind}_proj", y) * doubled)[:, 0])
        return contours[0], contours[1]

    def front(self, ids: Tensor, lengths: Tensor, style: Tensor, speed: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Token ids [B, L] to text features [B, 512, T], pitch and energy [B, 2T], and the number of frames [B]."""
        valid = torch.arange(ids.shape[1], device=self.device) < lengths[:, None]
        prosody = style[:, 128:]
        features, durations = self.predict_durations(self.encode_text(ids, valid), lengths, valid, prosody, speed)
        frames = durations.sum(1)
        pitch, energy = self.contours(self.align(features, durations), frames, prosody)
        return self.align(self.text(ids, lengths), durations).transpose(1, 2), pitch, energy, frames

    def text(self, ids: Tensor, lengths: Tensor | None = None) -> Tensor:
        """Text features of the tokens, [B, L, 512]. They do not depend on the voice."""
        lengths = torch.full((len(ids),), ids.shape[1], device=self.device) if lengths is None else lengths
        valid = torch.arange(ids.shape[1], device=self.device) < lengths[:, None]
        x = self.weights["text_encoder.embedding.weight"][ids].transpose(1, 2) * valid[:, None]
        for layer in range(3):
            x = self.conv(f"text_encoder.cnn.{layer}.0", x, padding=2).transpose(1, 2)
            x = F.leaky_relu(self.norm(f"text_encoder.cnn.{layer}.1", x, ("gamma", "beta"), 1e-5), 0.2)
            x = x.transpose(1, 2) * valid[:, None]
        return self.lstm("text_encoder.lstm", x.transpose(1, 2), lengths)

    # Decoder: features to samples

    def source(self, pitch: Tensor, rng: torch.Generator | None) -> Tensor:
        """Nine harmonics where voiced, noise everywhere. The phase advance of a negative pitch between two half frames
        follows Kokoro, and is audible at the end of voicing."""
        numbers = torch.arange(1, HARMONICS + 1, device=self.device)[:, None]
        cycles = torch.cumsum((pitch.double()[:, None] * numbers / RATE) % 1, -1) * (FRAME // 2)
        cycles = F.interpolate(cycles, scale_factor=FRAME // 2, mode="linear") % 1
        voiced = (pitch > 10).float().repeat_interleave(FRAME // 2, 1)[:, None]
        waves = 0.1 * torch.sin(2 * math.pi * cycles).float() * voiced
        if rng is not None:
            waves += (voiced * 0.003 + (1 - voiced) * 0.1 / 3) * torch.randn(waves.shape, generator=rng, device=self.device)
        return torch.tanh(self.linear(f"{GENERATOR}m_source.l_linear", waves.transpose(1, 2)))[..., 0]

    def decode(self, asr: Tensor, pitch: Tensor, energy: Tensor, style: Tensor, frames: Tensor, rng: torch.Generator | None) -> Tensor:
        """Features and the first half of the style [B, 128] to samples [B, 600 T]. No `rng`: no noise in the source."""
        longest = asr.shape[-1]
        mask_of = lambda per_frame, more=0: (
            torch.arange(longest * per_frame + more, device=self.device) < (frames * per_frame + more)[:, None]
        ).float()[:, None]
        mask = mask_of(1)
        tone, force = (self.conv(f"decoder.{kind}_conv", contour[:, None], stride=2, padding=1) * mask
                       for kind, contour in (("F0", pitch), ("N", energy)))
        x = self.residual("decoder.encode", torch.cat([asr, tone, force], 1), style, mask)
        kept = self.conv("decoder.asr_res.0", asr) * mask
        for layer in range(4):
            x = self.residual(f"decoder.decode.{layer}", torch.cat([x, kept, tone, force], 1), style, mask, doubling=layer == 3)

        window = torch.hann_window(20, device=self.device)
        source = self.source(pitch, rng) * mask_of(FRAME)[:, 0]
        spectrum = torch.stft(source, 20, 5, 20, window, return_complex=True)
        harmonics = torch.cat([spectrum.abs(), torch.angle(spectrum)], 1)

        coarse, fine = mask_of(20), mask_of(120, 1)
        pulses = self.conv(f"{GENERATOR}noise_convs.0", harmonics, stride=6, padding=3) * coarse
        pulses = self.snake_blocks(f"{GENERATOR}noise_res.0", pulses, style, coarse, 7)
        x = self.rise(f"{GENERATOR}ups.0", F.leaky_relu(x, 0.1), stride=10, padding=5) * coarse + pulses
        x = sum(self.snake_blocks(f"{GENERATOR}resblocks.{i}", x, style, coarse, k) for i, k in enumerate((3, 7, 11))) / 3
        pulses = self.conv(f"{GENERATOR}noise_convs.1", harmonics) * fine
        pulses = self.snake_blocks(f"{GENERATOR}noise_res.1", pulses, style, fine, 11)
        x = self.rise(f"{GENERATOR}ups.1", F.leaky_relu(x, 0.1), stride=6, padding=3)
        x = (F.pad(x, (1, 0), mode="reflect") + pulses) * fine
        x = sum(self.snake_blocks(f"{GENERATOR}resblocks.{i + 3}", x, style, fine, k) for i, k in enumerate((3, 7, 11))) / 3
        x = self.conv(f"{GENERATOR}conv_post", F.leaky_relu(x) * fine, padding=3)
        wave = torch.istft(torch.polar(torch.exp(x[:, :11]), torch.sin(x[:, 11:])), 20, 5, 20, window)
        return wave * mask_of(FRAME)[:, 0, : wave.shape[1]]
