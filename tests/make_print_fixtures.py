#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write tests/print_fixtures.h: arrays and what NumPy's str() makes of them."""
import sys
import numpy as np

rng = np.random.default_rng(20)
INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
        "uint64"]
FLOATS = ["float16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
inf, nan = np.inf, np.nan


def cases():
    for t in INTS:
        i = np.iinfo(t)
        yield np.array([i.min, 0, i.max], t)
        yield np.array(i.max, t)
        yield np.array([[1, 20], [3, 100]], t)
        yield np.arange(40).astype(t)
    yield np.array([True, False])
    yield np.array([[True, True], [True, True]])
    yield np.array(True)
    yield np.array(False)
    yield np.zeros((0, 3), "float32")
    yield np.zeros((2, 0), "int8")
    for t in FLOATS:
        for values in ([1, 2, 3], [0.5, 1, 2.25], [0.1, 0.2, 0.3], [0, 0],
                       [-0.0, 1], [nan, 1], [inf, 1], [-inf, 1], [nan],
                       [inf, -inf, nan], [nan, -1.5, inf], [1e-3, 1],
                       [1e-3, 1.01], [1e-4, 0.05], [9e-5, 0.05], [999, 1],
                       [1000, 1], [1001, 1], [1e4, 1e4], [1e-7], [0, 1e-7],
                       [1 / 3, 2 / 3], [100, 0.1], [-1, 10], [1.5, -100.25],
                       [60000, nan], [0.00012345, nan, -inf], [123.456]):
            with np.errstate(over="ignore"):
                yield np.array(values).astype(t)
        for v in (0, -0.0, 1, 0.1, 1 / 3, -2.5, 1e-4, 9.9e-5, 1e-7, 60000,
                  nan, inf, -inf, 0.001):
            yield np.array(v, t)
        yield rng.standard_normal((4, 5)).astype(t)
        yield (rng.standard_normal(30) * 100).astype(t)
        yield rng.random(17).astype(t)
        yield np.linspace(0, 1, 11).astype(t)
        yield np.arange(24).reshape(2, 3, 4).astype(t)
        yield np.finfo(t).max.reshape(1)
        yield np.finfo(t).tiny.reshape(1)
        yield np.finfo(t).smallest_subnormal.reshape(1)
    for t in FLOATS[1:]:
        for values in ([999999, 1], [1000000, 1], [1e6], [99999.5, 1e4],
                       [16777216], [1e7], [99999999], [1e8], [1e10, 1],
                       [123456789, 1], [1e20], [1.1e-20, 1], [1e30, nan],
                       [12345.678, 0.1], [1.23456789123, 1]):
            yield np.array(values, t)
        for v in (1e15, 1e16, 123456789, 16777216, 1e22, 1.5e-30):
            yield np.array(v, t)
        yield 10.0 ** rng.integers(-30, 30, 12).astype(t)
    yield np.array([1e100, 1])
    yield np.array([1e300, 1e-300])
    yield np.array([12345678850.0, 1])
    yield np.array([0.000000005, 0.1])
    for t in COMPLEX:
        for values in ([1 + 2j], [1 + 2j, -0.5 - 1j], [1j, 0], [nan, 1j],
                       [complex(nan, inf), 1], [complex(-inf, -inf), 2.5],
                       [1e10 + 1j, 1], [0.1 + 1e-7j, 1], [complex(1, -0.0)]):
            yield np.array(values, t)
        for v in (0, 1j, 1 + 2j, -1.5 - 0.25j, complex(-0.0, 1),
                  complex(nan, inf), complex(0, -0.0), 1e20 + 1e-20j):
            yield np.array(v, t)
        yield (rng.standard_normal((3, 4)) +
               1j * rng.standard_normal((3, 4))).astype(t)
        yield (rng.standard_normal(12) * 1e9 +
               1j * rng.standard_normal(12)).astype(t)
    # Powers of two: nearest digits that are too far below, and too many.
    for t, low, high in (("float16", -24, 16), ("float32", -149, 128),
                         ("float64", -1074, 1024)):
        for e in sorted({-6, -7, -8, 14, 15, -44, 89, *rng.integers(
                low, high, 12).tolist()} & set(range(low, high))):
            yield np.ldexp(np.array([1, -1.5], t), e).astype(t)
            yield np.ldexp(np.array(1, t), e).astype(t)
    yield np.array([2.0 ** -6, 256, np.inf], "float16")
    # Whole numbers with more digits than their type keeps.
    for t, values in (("float16", ([2050], [2570, 828.5], [999, 0.5],
                                   [1000], [65504, 1000])),
                      ("float32", ([16777218], [999999], [33554432, 1e5],
                                   [6374177, -305834.7], [99999992])),
                      ("float64", ([2.0 ** 53 + 2], [99999999, 1e5],
                                   [123456789012, 1e9]))):
        for v in values:
            yield np.array(v, t)
            yield np.array(v[0], t)
            if t != "float16":
                c = "complex64" if t == "float32" else "complex128"
                yield np.array(v, c) * (1 + 0.5j)
                yield np.array(complex(v[0], -v[-1]), c)
    # Summaries and lines that are too long.
    yield np.arange(1001, dtype="int16")
    yield np.arange(1000, dtype="int16")
    yield np.arange(1200, dtype="int32").reshape(30, 40)
    yield np.arange(1200, dtype="float32").reshape(2, 20, 30)
    yield np.arange(1500, dtype="int16").reshape(300, 5)
    yield np.arange(1500, dtype="int16").reshape(5, 300)
    yield np.arange(4096, dtype="int16").reshape(8, 8, 8, 8)
    yield np.arange(1280, dtype="int16").reshape(2, 2, 320)
    yield np.arange(60, dtype="int64").reshape(2, 30) * 1000
    yield np.arange(64, dtype="float64").reshape(1, 1, 1, 1, 64) / 7
    yield np.zeros((1, 1, 1), "int8")
    yield (np.arange(1100) % 2).astype("bool")
    yield np.arange(20, dtype="float64") * 1.25


def main(path):
    with open(path, "w") as f:
        f.write("/* SPDX-License-Identifier: Apache-2.0 */\n"
                "/* Made by tests/make_print_fixtures.py with NumPy %s,\n"
                "   Python %s: dtype, rank, shape, elements in hex (little\n"
                "   endian), text. */\n" % (np.__version__,
                                            sys.version.split()[0]))
        for x in cases():
            shape = ", ".join(map(str, x.shape)) or "0"
            hexes = x.astype(x.dtype.newbyteorder("<")).tobytes().hex()
            f.write("CASE(%s, %d, SHAPE(%s),\n" % (x.dtype, x.ndim, shape))
            for i in range(0, max(len(hexes), 1), 72):
                f.write('\t"%s"\n' % hexes[i:i + 72])
            lines = str(x).split("\n")
            f.write("\t,\n")
            for i, line in enumerate(lines):
                f.write('\t"%s%s"\n' %
                        (line, "\\n" if i + 1 < len(lines) else ""))
            f.write(")\n")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/print_fixtures.h")
