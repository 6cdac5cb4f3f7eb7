#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write tests/fixtures/numerics.bin: what every function gives, from NumPy.

Run by hand; the result is committed and names the versions that it comes from.
The file begins with lines of text and a blank line, then raw elements in little
endian, which the lines refer to by offset:

    pool NAME DTYPE OFFSET EXTENT...        inputs
    case FUNCTION DTYPE OFFSET POOL...      expected, shape (12, 12)
    reduce FUNCTION DTYPE OFFSET POOL AXES  AXES: all, or 0,2
    cast DTYPE OFFSET POOL
    arange DTYPE OFFSET COUNT START STOP STEP
    linspace DTYPE OFFSET COUNT START STOP

Expected values of functions such as sin are computed in more precision than the
dtype has and rounded once.  Where dpr differs from NumPy on purpose, the script
says so (search for "dpr:").  bfloat16 is not NumPy's: it is computed in float32
and rounded here.
"""
import os
import random
import sys
from fractions import Fraction

import numpy as np

np.seterr(all="ignore")
N = 12
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
ALL = ["bool"] + SIGNED + UNSIGNED + FLOATS + COMPLEX
RNG = np.random.default_rng(20240612)


def kind_of(dtype):
    return "f" if dtype == "bfloat16" else np.dtype(dtype).kind


# --- bfloat16 is kept as the float32 of the same value ------------------------

def round_bfloat16(values):
    """The nearest bfloat16, halves to even, of float32 values."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7fff + ((bits >> 16) & 1)) & 0xffff0000
    nan = np.isnan(values)
    rounded = np.where(nan, 0x7fc00000, rounded).astype(np.uint32)
    return rounded.view(np.float32)


def make(values, dtype):
    """An array of that dtype, from wider values."""
    if dtype == "bfloat16":
        return round_bfloat16(np.asarray(values).astype(np.float32))
    return np.asarray(values).astype(dtype)


def raw(array, dtype):
    if dtype == "bfloat16":
        return (array.view(np.uint32) >> 16).astype("<u2").tobytes()
    return np.ascontiguousarray(array).astype(
        np.dtype(dtype).newbyteorder("<")).tobytes()


# --- Inputs -------------------------------------------------------------------

def limits(dtype):
    """smallest subnormal, largest subnormal, smallest normal, largest"""
    if dtype == "bfloat16":
        top = np.uint32(0x7f7f0000).view(np.float32)
        return (np.uint32(0x00010000).view(np.float32),
                np.uint32(0x007f0000).view(np.float32),
                np.uint32(0x00800000).view(np.float32), top)
    info = np.finfo(dtype)
    return (info.smallest_subnormal,
            np.nextafter(info.tiny, np.dtype(dtype).type(0)), info.tiny,
            info.max)


def float_pool(dtype):
    least, most, normal, top = (float(v) for v in limits(dtype))
    eps = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23,
           "float64": 2.0**-52}[dtype]
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, least, -least, most, normal,
              -normal, top, -top, 1, -1, 0.5, -0.5, 1 + eps, 1 - eps / 2, 2, 3,
              10, np.pi, np.pi / 2, -np.pi / 2, 1.5, -1.5, 2.5, -2.5, 3.5, 0.1,
              11.0, -16.5, -17.3, 88.7, -87.3, -103.2, 709.7, -745.1, 1e-3,
              -1e-3, 1e-5, 1e4, 65503, 1e5, -123456.7, 7e7, 1e10, -1e20, 1e30]
    values += list(RNG.normal(0, 2, 45))
    values += list(RNG.uniform(-100, 100, 20))
    rest = N * N - len(values)
    values += list(np.exp2(RNG.uniform(-14, 14, rest)) *
                   RNG.choice([-1, 1], rest))
    return make(np.array(values, np.float64), dtype)


def int_pool(dtype):
    info = np.iinfo(dtype)
    values = [0, 1, -1, 2, 3, -7, info.min, info.max, info.min + 1,
              info.max - 1, 10, 100]
    random.seed(dtype)
    while len(values) < N * N:
        bits = random.randrange(1, info.bits + 1)
        values.append(random.getrandbits(bits) * random.choice([1, -1]))
    return np.array([v if info.min <= v <= info.max else abs(v) & info.max
                     for v in values], dtype)


def complex_pool(dtype):
    parts = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5]
    values = [complex(a, b) for a in parts for b in parts]
    rest = N * N - len(values)
    values += [complex(a, b) for a, b in
               zip(RNG.normal(0, 2, rest), RNG.normal(0, 2, rest))]
    values[60], values[61], values[62] = 1e-3 + 1e-4j, 30 + 2j, -20 - 50j
    return np.array(values, dtype)


def pool(dtype):
    kind = kind_of(dtype)
    if kind == "b":
        return RNG.integers(0, 2, N * N).astype(bool).reshape(N, N)
    if kind in "iu":
        return int_pool(dtype).reshape(N, N)
    if kind == "f":
        return float_pool(dtype).reshape(N, N)
    return complex_pool(dtype).reshape(N, N)


def pair(dtype):
    """A column and a row, so that every value meets every other."""
    kind = kind_of(dtype)
    if kind == "b":
        a = np.arange(N) % 2 == 0
        b = np.arange(N) % 3 == 0
    elif kind in "iu":
        info = np.iinfo(dtype)
        big = info.max // 3
        a = [0, 1, -1, info.min, info.max, 2, -3, 7, -100, 100, big, 55]
        b = [0, 1, -1, info.min, info.max, 3, -5, 11, 64, -7, big + 5, 2]
        if kind == "u":
            a, b = [abs(v) for v in a], [abs(v) for v in b]
    elif kind == "f":
        least, _, _, top = (float(v) for v in limits(dtype))
        a = [np.nan, np.inf, -np.inf, 0.0, -0.0, least, 1.0, -1.5, 3.0, 0.3,
             top * 0.6, -7e-3]
        b = [np.nan, np.inf, -np.inf, 0.0, -0.0, -least, -1.0, 2.0, -3.0, 0.7,
             -top * 0.9, 5.5]
    else:
        a = [0, 1 + 2j, -3 + 0.5j, 1j, complex(-0.0, -1), complex(np.inf, 1),
             complex(np.nan, 1), 2.5e-3 + 100j, -1 - 1j, 1e6 - 3j, 0.5, -2]
        b = [0, 1 - 2j, 3 + 0.25j, -1j, complex(1, -0.0), complex(2, -np.inf),
             complex(1, np.nan), 1e-3 - 2j, -1 + 1j, -30j, 2, -1.5]
    a, b = (make(np.array(v), dtype) for v in (a, b))
    return a.reshape(N, 1), b.reshape(1, N)


def power_pair(dtype):
    """Of integers with small exponents: all others overflow alike.  Of finite
    complex numbers: C leaves open what the others give."""
    if kind_of(dtype) == "c":
        a = [0, 1, -1, 1j, 2 - 1j, -3 + 0.5j, 0.1 + 0.2j, 10 - 20j, -1 - 1j,
             1e-3j, 2.5, -4]
        b = [0, 1, 2, -1, 0.5, 1j, -1 + 1j, 3 - 2j, 0.25 + 0.75j, -2, 3, -0.5j]
        return (np.array(a, dtype).reshape(N, 1),
                np.array(b, dtype).reshape(1, N))
    info = np.iinfo(dtype)
    a = [0, 1, -1, 2, -2, 3, -3, 7, 10, info.max, info.min, -5]
    b = [0, 1, 2, 3, 4, 5, 7, 8, 15, 31, 63, -1]
    if info.kind == "u":
        a, b = [abs(v) for v in a], [abs(v) for v in b]
    b = [min(v, info.max) for v in b]
    return (np.array(a, dtype).reshape(N, 1), np.array(b, dtype).reshape(1, N))


# --- Functions ----------------------------------------------------------------

def wide(array, dtype):
    """In more precision than dtype has."""
    kind = kind_of(dtype)
    if kind == "c":
        return array.astype(np.complex128 if dtype == "complex64"
                            else np.clongdouble)
    return array.astype(np.longdouble if dtype == "float64" else np.float64)


def computed(array, dtype):
    """In the dtype that dpr computes in: half precision in float32."""
    return array.astype(np.float32) if dtype in ("float16", "bfloat16") \
        else array


def wrap(dtype, function, *arrays):
    """Python's integers, wrapped around."""
    info = np.iinfo(dtype)
    arrays = np.broadcast_arrays(*arrays)
    out = [function(*(int(v) for v in values))
           for values in zip(*(a.ravel() for a in arrays))]
    out = [((v - info.min) % (1 << info.bits)) + info.min for v in out]
    return np.array(out, dtype).reshape(arrays[0].shape)


def int_power(a, b):
    # dpr: a negative power is the integer part of the reciprocal, and 0 of 0;
    # NumPy refuses it.
    if b < 0:
        return a ** (b & 1) if a in (1, -1) else 0
    return a ** b


def fused(x, y, z):
    """x*y + z rounded once."""
    def one(a, b, c):
        a, b, c = float(a), float(b), float(c)
        if not all(np.isfinite([a, b, c])):
            return a * b + c
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        if exact == 0:
            return a * b + c if a * b == 0 or c == 0 else 0.0
        try:
            return float(exact)
        except OverflowError:
            return np.inf if exact > 0 else -np.inf
    x, y, z = np.broadcast_arrays(x, y, z)
    return np.array([one(*v) for v in zip(x.ravel(), y.ravel(), z.ravel())],
                    np.float64).reshape(x.shape)


SIMPLE = {  # rounded once by NumPy, too, or exact
    "abs": np.abs, "negative": np.negative, "positive": np.positive,
    "sign": np.sign, "square": np.square, "floor": np.floor, "ceil": np.ceil,
    "trunc": np.trunc, "round": np.round, "real": np.real, "imag": np.imag,
    "conj": np.conj, "bitwise_invert": np.invert, "add": np.add,
    "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "minimum": np.minimum, "maximum": np.maximum,
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor, "floor_divide": np.floor_divide,
    "remainder": np.remainder, "isnan": np.isnan, "isinf": np.isinf,
    "isfinite": np.isfinite, "logical_not": np.logical_not,
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less,
    "less_equal": np.less_equal, "greater": np.greater,
    "greater_equal": np.greater_equal, "logical_and": np.logical_and,
    "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "sqrt": np.sqrt,
}
PRECISE = {
    "exp": np.exp, "log": np.log, "sin": np.sin,
    "cos": np.cos, "tanh": np.tanh, "pow": np.power, "hypot": np.hypot,
    "atan2": np.arctan2,
}
# Functions and the classes of dtypes that they take; those in FLOAT_RESULT
# compute integers and bool in float64.
TAKES = {
    "abs": "biufc", "negative": "iufc", "positive": "iufc", "sign": "iufc",
    "square": "iufc", "sqrt": "biufc", "floor": "iuf", "ceil": "iuf",
    "trunc": "iuf", "round": "iufc", "real": "biufc", "imag": "biufc",
    "conj": "iufc", "bitwise_invert": "biu", "exp": "biufc", "log": "biufc",
    "sin": "biufc", "cos": "biufc", "tanh": "biufc", "add": "biufc",
    "subtract": "iufc", "multiply": "biufc", "divide": "biufc",
    "minimum": "biuf", "maximum": "biuf", "bitwise_and": "biu",
    "bitwise_or": "biu", "bitwise_xor": "biu", "floor_divide": "iuf",
    "remainder": "iuf", "pow": "iufc", "hypot": "biuf", "atan2": "biuf",
    "multiply_add": "iufc", "isnan": "biufc", "isinf": "biufc",
    "isfinite": "biufc", "logical_not": "biufc", "equal": "biufc",
    "not_equal": "biufc", "less": "biuf", "less_equal": "biuf",
    "greater": "biuf", "greater_equal": "biuf", "logical_and": "biufc",
    "logical_or": "biufc", "logical_xor": "biufc",
}
FLOAT_RESULT = {"sqrt", "exp", "log", "sin", "cos", "tanh", "divide", "hypot",
                "atan2"}
UNARY = {"abs", "negative", "positive", "sign", "square", "sqrt", "floor",
         "ceil", "trunc", "round", "real", "imag", "conj", "bitwise_invert",
         "exp", "log", "sin", "cos", "tanh", "isnan", "isinf", "isfinite",
         "logical_not"}


def special_ints(name, dtype, x):
    """Integer functions where NumPy warns, refuses or leaves C's behaviour."""
    if name == "pow":
        return wrap(dtype, int_power, *x)
    if name == "multiply_add":
        return wrap(dtype, lambda a, b, c: a * b + c, *x)
    if name == "floor_divide":
        # dpr: 0 for a division by 0, as NumPy but without a warning.
        return wrap(dtype, lambda a, b: a // b if b else 0, *x)
    if name == "remainder":
        return wrap(dtype, lambda a, b: a % b if b else 0, *x)
    return None


def expected(name, dtype, x):
    """The result and its dtype."""
    kind = kind_of(dtype)
    if name in FLOAT_RESULT and kind in "biu":
        # dpr: integers are computed in the default float, whatever their size;
        # NumPy takes float16 for int8.
        x = [v.astype(np.float64) for v in x]
        dtype, kind = "float64", "f"
    if kind in "iu":
        result = special_ints(name, dtype, x)
        if result is not None:
            return result, dtype
    if name == "multiply_add":
        if kind == "f":
            # Rounding to float32 on the way is what dpr does for the halves.
            result = fused(*x)
            return make(result.astype(np.float32) if dtype != "float64"
                        else result, dtype), dtype
        if kind == "c":
            x = [wide(v, dtype) for v in x]
        return make(x[0] * x[1] + x[2], dtype), dtype
    if name in PRECISE or (name == "sqrt" and kind == "c"):
        function = np.sqrt if name == "sqrt" else PRECISE[name]
        result = make(function(*(wide(v, dtype) for v in x)), dtype)
        if name == "exp" and kind == "c":
            # Signs that C leaves open.
            open_ = np.isneginf(x[0].real) & ~np.isfinite(x[0].imag)
            result = np.where(open_, np.zeros(1, dtype), result)
        return result, dtype
    result = SIMPLE[name](*(computed(v, dtype) for v in x))
    if name == "sign" and kind == "c":
        # dpr: what has a NaN has no direction; NumPy answers inf + nan j.
        result = np.where(np.isnan(x[0]), np.array(np.nan + 1j * np.nan, dtype),
                          result)
    if result.dtype == bool:
        return result, "bool"
    if kind == "c" and result.dtype.kind == "f":
        return result, str(result.dtype)
    return make(result, dtype), dtype


# --- The file -----------------------------------------------------------------

LINES = []
BLOB = bytearray()


def store(array, dtype):
    offset = len(BLOB)
    BLOB.extend(raw(array, dtype))
    return offset


def store_pool(name, array, dtype):
    LINES.append("pool %s %s %d %s" % (name, dtype, store(array, dtype),
                                       " ".join(map(str, array.shape))))
    return array


def write_elementwise():
    for dtype in ALL:
        unary = store_pool("u." + dtype, pool(dtype), dtype)
        a, b = pair(dtype)
        store_pool("a." + dtype, a, dtype)
        store_pool("b." + dtype, b, dtype)
        if kind_of(dtype) in "iuc":
            pa, pb = power_pair(dtype)
            store_pool("pa." + dtype, pa, dtype)
            store_pool("pb." + dtype, pb, dtype)
        for name, classes in TAKES.items():
            if kind_of(dtype) not in classes:
                continue
            if name in UNARY:
                x, names = [unary], ["u."]
            elif name == "multiply_add":
                x, names = [a, b, unary], ["a.", "b.", "u."]
            elif name == "pow" and kind_of(dtype) in "iuc":
                x, names = [pa, pb], ["pa.", "pb."]
            else:
                x, names = [a, b], ["a.", "b."]
            result, out = expected(name, dtype, x)
            assert result.shape == (N, N), name
            LINES.append("case %s %s %d %s" % (
                name, out, store(result, out),
                " ".join(n + dtype for n in names)))
        condition = POOLS["condition"]
        LINES.append("case where %s %d condition a.%s b.%s" % (
            dtype, store(np.where(condition, a, b), dtype), dtype, dtype))


def reduction_pool(dtype):
    """Eighths of small integers, whose sums are exact."""
    kind = kind_of(dtype)
    shape = (5, 7, 9)
    if kind == "b":
        return RNG.integers(0, 4, shape) > 0
    if kind in "iu":
        info = np.iinfo(dtype)
        return RNG.integers(max(info.min, -1000), min(info.max, 1000), shape,
                            endpoint=True).astype(dtype)
    values = RNG.integers(-12, 13, shape) / 8
    if kind == "c":
        values = values + 1j * RNG.integers(-12, 13, shape) / 8
    return make(values, dtype)


def reduce_expected(name, x, dtype, axes):
    kind = kind_of(dtype)
    if name in ("any", "all"):
        return getattr(np, name)(x != 0, axis=axes), "bool"
    if name in ("max", "min"):
        return getattr(np, name)(x, axis=axes), dtype
    if name == "sum":
        if kind in "biu":
            out = "uint64" if kind == "u" else "int64"
            return np.sum(x, axis=axes, dtype=out), out
        return make(np.sum(wide(x, dtype), axis=axes), dtype), dtype
    # dpr: the mean of integers is in the default float, float64.
    if kind in "biu":
        return np.mean(x, axis=axes, dtype=np.float64), "float64"
    if kind == "c":
        # dpr: each part for itself; NumPy's quotient makes NaN of inf + 1j.
        x = wide(x, dtype)
        result = np.empty(np.mean(x, axis=axes).shape, x.dtype)
        result.real = np.mean(x.real, axis=axes)
        result.imag = np.mean(x.imag, axis=axes)
        return make(result, dtype), dtype
    return make(np.mean(wide(x, dtype), axis=axes), dtype), dtype


def write_reductions():
    for dtype in ALL:
        kind = kind_of(dtype)
        pools = [("r." + dtype, reduction_pool(dtype))]
        if kind in "fc":
            special = reduction_pool(dtype)
            special[1, 2, 3] = np.nan
            special[2, 0, 0] = np.inf
            special[3, 4, 5] = -np.inf
            special[0, 0, :] = -0.0
            pools.append(("s." + dtype, special))
        for name, x in pools:
            store_pool(name, x, dtype)
            for function in ("sum", "mean", "max", "min", "any", "all"):
                if function in ("max", "min") and kind == "c":
                    continue
                for axes in (None, (0,), (1,), (2,), (0, 1), (0, 2), (1, 2)):
                    result, out = reduce_expected(function, x, dtype, axes)
                    LINES.append("reduce %s %s %d %s %s" % (
                        function, out, store(np.asarray(result), out), name,
                        "all" if axes is None
                        else ",".join(map(str, axes))))


def cast_pool(source, target):
    """24 values of @source that @target can hold after truncation."""
    skind, tkind = kind_of(source), kind_of(target)
    if skind == "b":
        return np.arange(24) % 3 == 0
    low, high = -60000.0, 60000.0
    for dtype in (source, target):
        if kind_of(dtype) in "iu":
            info = np.iinfo(dtype)
            low, high = max(low, info.min), min(high, info.max)
    if tkind == "b":
        values = np.array([0, 1, 2, 0, -1, 0.5] * 4)
    elif skind in "iu":
        values = RNG.integers(int(low), int(high), 24, endpoint=True)
    else:
        values = RNG.uniform(low, high, 24)
    values[:3] = low, high, 0
    if skind in "fc" and tkind in "fc":
        values[3:8] = np.nan, np.inf, -np.inf, -0.0, 1e-7
    if skind in "fc" and tkind in "iu":
        values[3:6] = 1.5, 2.999, max(low, -0.9)
    if skind == "c":
        values = values + 1j * RNG.normal(0, 3, 24)
    if skind in "iu":
        info = np.iinfo(source)
        values = np.clip(np.trunc(values), info.min, info.max)
    array = make(values, source)
    if tkind in "iu" and skind == "f":
        # Rounding to the source may have gone out of range.
        info = np.iinfo(target)
        whole = np.trunc(array.astype(np.float64))
        array = make(np.where((whole < info.min) | (whole > info.max), 1.25,
                              array.astype(np.float64)), source)
    return array


def write_casts():
    for source in ALL:
        for target in ALL:
            if kind_of(source) == "c" and kind_of(target) != "c":
                continue
            name = "k.%s.%s" % (source, target)
            x = store_pool(name, cast_pool(source, target), source)
            LINES.append("cast %s %d %s" % (target, store(make(x, target),
                                                          target), name))


def write_creation():
    for dtype in SIGNED + UNSIGNED + FLOATS:
        for start, stop, step in ((0, 10, 1), (3, 50, 7), (20, 0, -3),
                                  (5, 5, 1)):
            x = make(np.arange(start, stop, step, dtype=np.int64), dtype)
            LINES.append("arange %s %d %d %d %d %d" % (
                dtype, store(x, dtype), len(x), start, stop, step))
    for dtype in ("float32", "float64"):
        for start, stop, step in ((0.5, 4.0, 0.25), (1.0, -1.0, -0.125)):
            x = make(np.arange(start, stop, step), dtype)
            LINES.append("arange %s %d %d %r %r %r" % (
                dtype, store(x, dtype), len(x), start, stop, step))
    for dtype in FLOATS + COMPLEX:
        for start, stop, count in ((0, 1, 11), (-3, 7.5, 50), (2, 2, 3),
                                   (1, 9, 1), (0, 1, 0)):
            x = make(np.linspace(start, stop, count), dtype)
            LINES.append("linspace %s %d %d %r %r" % (
                dtype, store(x, dtype), count, start, stop))


POOLS = {"condition": RNG.integers(0, 2, (N, N)).astype(bool)}
store_pool("condition", POOLS["condition"], "bool")
write_elementwise()
write_reductions()
write_casts()
write_creation()
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures",
                    "numerics.bin")
with open(path, "wb") as out:
    head = "dpr numerics 1, python %s numpy %s\n" % (sys.version.split()[0],
                                                     np.__version__)
    out.write((head + "".join(line + "\n" for line in LINES) + "\n").encode())
    out.write(BLOB)
