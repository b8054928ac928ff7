"""The forward pass of a small BERT in NumPy, one text at a time or several together.

The weights of the dense layers stay in 8 bits and are unpacked into one small room while they are multiplied: nothing to wait for at
the start, a quarter of the memory, and half a millisecond more for a question.

What is stored is computed one text at a time, because BLAS may sum in another order when the matrix has other rows: two texts
multiplied together would not give the bits that each gives alone. Several go through each layer one behind the other, so that
its weights are unpacked once for them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Tensors = Mapping[str, NDArray[Any]]

#: From the model's configuration.
HEAD_WIDTH = 32
#: Tokens of texts for which weights are unpacked once: more bring little, and what lies between two layers takes 6 kB for each.
_TOKENS_AT_ONCE = 640
NORM_EPSILON = np.float32(1e-12)

#: Φ(x) ≈ (1 + tanh(x (a + b x² + c x⁴))) / 2, fitted to the smallest largest error of x Φ(x), which is 2.6e-5.
GELU_A, GELU_B, GELU_C = np.float32(0.79750788), np.float32(0.037005646), np.float32(-0.00035151684)
#: Beyond |x| = 6 the fit would turn back; tanh is ±1 there anyhow.
GELU_X2_MAX = np.float32(36)


class Linear(Struct, frozen=True):
    """x -> x @ weight + bias.

    Attributes:
        weight: (groups, inputs of a group, outputs) in int8 with a scale of (groups, 1, outputs); (inputs, outputs) without one.
    """

    weight: NDArray[Any]
    scale: Floats | None
    bias: Floats

    def __call__(self, x: Floats, room: Floats) -> Floats:
        return self.each([x], room)[0]

    def each(self, texts: Sequence[Floats], room: Floats) -> list[Floats]:
        """Multiply each text by itself, with weights that are unpacked once for all of them."""
        weight = self.weight
        if self.scale is not None:
            unpacked = room[: weight.size].reshape(weight.shape)
            unpacked[...] = weight
            unpacked *= self.scale
            weight = unpacked.reshape(-1, weight.shape[-1])
        found: list[Floats] = [x @ weight for x in texts]
        for y in found:
            np.add(y, self.bias, out=y)
        return found


class Norm(Struct, frozen=True):
    """Rows to mean 0 and variance 1, then scaled and moved. Works in place."""

    weight: Floats
    bias: Floats

    def __call__(self, x: Floats) -> Floats:
        width = np.float32(x.shape[1])
        x -= np.add.reduce(x, axis=1, keepdims=True) / width
        variance = np.einsum("ij,ij->i", x, x)[:, None] / width
        x *= 1 / np.sqrt(variance + NORM_EPSILON)
        x *= self.weight
        x += self.bias
        return x


class Layer(Struct, frozen=True):
    """Attention, then two dense layers; each adds to its input. The queries come scaled by 1 / √HEAD_WIDTH.

    `room` is for unpacked weights: what was in it does not matter, but two texts at once need one each.
    """

    qkv: Linear
    mix: Linear
    mix_norm: Norm
    widen: Linear
    narrow: Linear
    narrow_norm: Norm

    def __call__(self, x: Floats, texts: Sequence[slice], room: Floats) -> Floats:
        qkv = self.qkv(x, room)
        mixed = self.mix(attend(qkv) if len(texts) == 1 else np.concatenate([attend(qkv[rows]) for rows in texts]), room)
        mixed += x
        x = self.mix_norm(mixed)
        narrowed = self.narrow(gelu(self.widen(x, room)), room)
        narrowed += x
        return self.narrow_norm(narrowed)

    def each(self, texts: Sequence[Floats], room: Floats) -> list[Floats]:
        """Compute every text by itself, bit for bit as alone."""
        mixed = self.mix.each([attend(qkv) for qkv in self.qkv.each(texts, room)], room)
        for y, x in zip(mixed, texts, strict=True):
            np.add(y, x, out=y)
        between = [self.mix_norm(y) for y in mixed]
        narrowed = self.narrow.each([gelu(wide) for wide in self.widen.each(between, room)], room)
        for y, x in zip(narrowed, between, strict=True):
            np.add(y, x, out=y)
        return [self.narrow_norm(y) for y in narrowed]


class Bert(Struct, frozen=True):
    """Token numbers -> one state per token. Word rows stay int8 with a scale each, and are unpacked as needed."""

    words: NDArray[Any]
    word_scales: Floats
    positions: Floats
    norm: Norm
    layers: tuple[Layer, ...]

    @property
    def max_tokens(self) -> int:
        """Positions the model has weights for, [CLS] and [SEP] included."""
        return len(self.positions)

    def states(self, tokens: Sequence[int]) -> Floats:
        """Return (len(tokens), width): the last layer's states of one text; at most `max_tokens` tokens."""
        return self.states_each([tokens])[0]

    def states_each(self, texts: Sequence[Sequence[int]]) -> list[Floats]:
        """Return for each text (its tokens, width), bit for bit the same whatever stands beside it."""
        room = self._room()
        found: list[Floats] = []
        for group in _grouped(texts):
            some = [self._begun(np.asarray(text, np.intp)) for text in group]
            for layer in self.layers:
                some = layer.each(some, room)
            found += some
        return found

    def _begun(self, tokens: NDArray[np.intp]) -> Floats:
        x: Floats = self.words[tokens] * self.word_scales[tokens]
        x += self.positions[: len(tokens)]
        return self.norm(x)

    def _room(self) -> Floats:
        return np.empty(max(layer.widen.weight.size for layer in self.layers), np.float32)

    def states_together(self, texts: Sequence[Sequence[int]]) -> list[Floats]:
        """Return for each text (its tokens, width): half the work for short texts, but not bit for bit as one at a time."""
        tokens = np.concatenate([np.asarray(text, np.intp) for text in texts])
        ends = np.cumsum([len(text) for text in texts]).tolist()
        rows = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]
        x = self.words[tokens] * self.word_scales[tokens]
        x += np.concatenate([self.positions[: len(text)] for text in texts])
        x = self.norm(x)
        room = self._room()
        for layer in self.layers:
            x = layer(x, rows, room)
        return [x[one] for one in rows]


def _grouped(texts: Sequence[Sequence[int]]) -> Iterator[Sequence[Sequence[int]]]:
    """Yield consecutive texts of together at most _TOKENS_AT_ONCE tokens, or one that is longer."""
    first = held = 0
    for number, text in enumerate(texts):
        if number > first and held + len(text) > _TOKENS_AT_ONCE:
            yield texts[first:number]
            first, held = number, 0
        held += len(text)
    yield texts[first:]


def from_tensors(tensors: Tensors) -> Bert:
    """Return a model from named arrays, used as they lie; a weight with a `.scale` beside it is (groups, inputs, outputs) in int8."""
    depth = 1 + max(int(name.split(".")[1]) for name in tensors if name.startswith("layer."))
    return Bert(
        words=tensors["words.weight"],
        word_scales=tensors["words.scale"],
        positions=tensors["positions"],
        norm=_norm(tensors, "norm"),
        layers=tuple(_layer(tensors, f"layer.{number}.") for number in range(depth)),
    )


def attend(qkv: Floats) -> Floats:
    """Return (tokens, width): for each head and token of one text, values averaged by softmax(query · key) over its tokens."""
    rows, width = len(qkv), qkv.shape[1] // 3
    queries, keys, values = qkv.reshape(rows, 3, width // HEAD_WIDTH, HEAD_WIDTH).transpose(1, 2, 0, 3)
    weights = queries @ keys.swapaxes(1, 2)
    weights -= np.maximum.reduce(weights, axis=2, keepdims=True)
    np.exp(weights, out=weights)
    weights /= np.add.reduce(weights, axis=2, keepdims=True)
    result = np.empty((rows, width // HEAD_WIDTH, HEAD_WIDTH), np.float32)
    np.matmul(weights, values, out=result.transpose(1, 0, 2))
    return result.reshape(rows, width)


def gelu(x: Floats) -> Floats:
    """Return x Φ(x), with an absolute error below 3e-5."""
    square = x * x
    np.minimum(square, GELU_X2_MAX, out=square)
    inner = square * GELU_C
    inner += GELU_B
    inner *= square
    inner += GELU_A
    inner *= x
    np.tanh(inner, out=inner)
    inner += np.float32(1)
    inner *= x
    inner *= np.float32(0.5)
    return inner


def _layer(tensors: Tensors, prefix: str) -> Layer:
    return Layer(
        qkv=_linear(tensors, prefix + "qkv"),
        mix=_linear(tensors, prefix + "mix"),
        mix_norm=_norm(tensors, prefix + "mix_norm"),
        widen=_linear(tensors, prefix + "widen"),
        narrow=_linear(tensors, prefix + "narrow"),
        narrow_norm=_norm(tensors, prefix + "narrow_norm"),
    )


def _linear(tensors: Tensors, name: str) -> Linear:
    return Linear(tensors[name + ".weight"], tensors.get(name + ".scale"), tensors[name + ".bias"])


def _norm(tensors: Tensors, name: str) -> Norm:
    return Norm(tensors[name + ".weight"], tensors[name + ".bias"])
