#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rows of "dpr bench --cliffs" beside NumPy and SciPy.

usage: dpr bench --cliffs --json SELECTOR | cliffs_numpy.py [SLOWER]

Prints a line for each row in which dpr takes more than SLOWER (1 by default)
times as long as NumPy with one thread: the times of both in ms, and how many
times as long dpr takes; then how many rows were compared.  0 prints all rows.
Without NumPy, says so and exits with 77.
"""

import json
import os
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
try:
    import numpy as np
except ImportError:
    print("cliffs_numpy.py: NumPy is not installed")
    sys.exit(77)
try:
    from scipy import special
except ImportError:  # rows of its functions are left out
    special = None

NAMES = {"pow": np.power, "atan2": np.arctan2, "abs": np.absolute,
         "round": np.rint, "bitwise_invert": np.invert,
         "minimum": np.minimum, "maximum": np.maximum,
         "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
         "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh}
if special:
    NAMES.update(gamma=special.gamma, lgamma=special.gammaln,
                 erf=special.erf, erfc=special.erfc,
                 logsumexp=special.logsumexp, softmax=special.softmax,
                 log_softmax=special.log_softmax)
REDUCTIONS = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "max": np.max,
              "min": np.min, "any": np.any, "all": np.all,
              "argmax": np.argmax, "argmin": np.argmin}
PAIRS = {"isclose": np.isclose, "allclose": np.allclose, "cross": np.cross,
         "vecdot": lambda x, y: np.sum(np.conj(x) * y),
         "vector_norm": lambda x, y: np.linalg.norm(x),
         "vector_norm-1": lambda x, y: np.linalg.norm(x, 1),
         "vector_norm-3": lambda x, y: np.linalg.norm(x, 3),
         "average": lambda x, y: np.average(x, weights=y),
         "divmod": lambda x, y: np.subtract(*np.divmod(x, y)),
         "modf": lambda x, y: np.subtract(*np.modf(x)),
         "frexp": lambda x, y: np.subtract(*np.frexp(x))}
ROUNDS = 3


def elements(dtype, nbytes, step):
    """What dpr bench makes: small whole numbers but 0."""
    size = np.dtype(dtype).itemsize
    n = int(nbytes) // size
    return (np.arange(n, dtype=np.int64) * step % 7 + 1).astype(dtype)


def views(name, x, y):
    """x and y in the layout of a row, as make_views() in bench_cliffs.c."""
    n = len(x)
    side = int(n ** 0.5)
    matrix = (n // 1024, 1024)
    threes = n // 3 * 3
    if "/offset" in name:
        return x[1:], y[:-1]
    if "/step" in name:
        return x[::2], y[:(n + 1) // 2]
    if "/reversed" in name:
        return x[::-1], y
    if "/turned" in name:
        return (x[:side * side].reshape(side, side).T,
                y[:side * side].reshape(side, side))
    if "/row-of-3" in name:
        return x[:3].reshape(1, 3), y[:threes].reshape(-1, 3)
    if "/rows-of-3" in name or "/wide" in name:
        x = x[:threes].reshape(-1, 3)
        return (x.T if "/wide" in name else x), y[:threes].reshape(-1, 3)
    if "/alternate" in name:
        shape = (n // 4 ** 9,) + (4,) * 9
        count = shape[0] * 4 ** 9
        return x[:count].reshape(shape), y[:count].reshape(shape)
    if "/row/" in name or "/column/" in name or "/axis" in name:
        y = y[:matrix[0] * 1024].reshape(matrix)
        x = x[:matrix[0] * 1024].reshape(matrix)
        return (x[:1] if "/row/" in name else
                x[:, :1] if "/column/" in name else x), y
    return x, y


def call_of(name, text, x, y):
    """A function that computes the row, or None."""
    head = name.split("/")[0]
    if head == "cast":
        dtype = np.dtype(name.split("/")[2])
        return lambda: x.astype(dtype)
    if head == "copy":
        return x.copy
    if head == "where":
        return lambda: np.where(y > 2, x, y)
    if head == "roll":
        return lambda: np.roll(x, 1, axis=1 if "/axis-1" in name else None)
    if head == "tile":
        return lambda: np.tile(x, (1, 2))
    if head == "repeat":
        return lambda: np.repeat(x, 2)
    if head == "tril":
        return lambda: np.tril(x)
    if head == "take":
        if "/axis-" not in name:
            i = np.arange(x.size) * 7
            return lambda: np.take(x, i, mode="wrap")
        axis = int(name.split("/axis-")[1][0])
        i = np.arange(x.shape[axis])
        return lambda: np.take(x, i, axis=axis, mode="wrap")
    if head == "square-add":
        return lambda: x * x + y * y
    if head == "sum-of-squares":
        return lambda: np.sum((x - y) ** 2)
    if head == "clip":
        return lambda: np.clip(x, y, x)
    if head == "multiply_add":
        return lambda: x * y + x
    if head in REDUCTIONS:
        axis = None
        if "/axis-" in name:
            axis = int(name.split("/axis-")[1][0])
        elif "/rows-of-3" in name:
            axis = 1
        elif "/alternate" in name:
            axis = (0, 2, 4, 6, 8)
        return lambda: REDUCTIONS[head](x, axis=axis)
    if head in PAIRS:
        return lambda: PAIRS[head](x, y)
    function = NAMES.get(head) or getattr(np, head, None)
    if function is None:
        return None
    if head in ("real", "imag"):  # NumPy makes views
        return lambda: function(x).copy()
    if not isinstance(function, np.ufunc):
        return lambda: function(x)
    return (lambda: function(x, y)) if function.nin == 2 else (
        lambda: function(x))


def time_of(call):
    times = []
    for _ in range(ROUNDS + 1):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return sorted(times[1:])[ROUNDS // 2] * 1e3


def main():
    slower = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    compared = shown = 0
    size = None
    made = {}
    np.seterr(all="ignore")
    rows = json.load(sys.stdin)["rows"]
    for row in rows:
        if row["name"].startswith("add/float32"):
            size = row["bytes"] / 3
    if size is None:
        sys.exit("cliffs_numpy.py: the row add/float32 must be there: it "
                 "tells the size of an operand")
    print("%-28s %10s %10s %7s" % ("name", "dpr", "NumPy", "times"))
    for row in rows:
        parts = row["name"].split("/")
        dtype = parts[1] if parts[0] == "cast" else parts[-1]
        if "bfloat16" in parts:
            continue
        if made.get("dtype") != dtype:
            made = {"dtype": dtype, "x": elements(dtype, size, 3),
                    "y": elements(dtype, size, 5)}
        x, y = views(row["name"], made["x"], made["y"])
        call = call_of(row["name"], row["text"], x, y)
        if call is None:
            continue
        try:
            numpy = time_of(call)
        except TypeError:
            continue
        compared += 1
        if row["ms"] > slower * numpy:
            shown += 1
            print("%-28s %10.3f %10.3f %7.2f" % (
                row["name"], row["ms"], numpy, row["ms"] / numpy), flush=True)
    print("%d of %d rows take more than %g times as long" % (
        shown, compared, slower))
    return 0


if __name__ == "__main__":
    sys.exit(main())
