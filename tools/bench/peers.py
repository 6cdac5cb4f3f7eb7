#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Expressions by dpr and by its peers on one GPU, in turns.

usage: peers.py LIBDPR [PATTERN...]
LIBDPR is the library's file (libdpr.so); a PATTERN such as 'sum*' picks rows.
Uses the first CUDA device, where all libraries compute on the same memory.
Prints a line for each row: the GB/s read and written by dpr, and as a part of
the rate of a copy within the device in the same rounds; then the ratios to
torch, to torch.compile and to CuPy's ElementwiseKernel, each the median of the
ratios within a round.  Results are compared with torch's.  Without PyTorch or a
CUDA device, says so and exits with 77; without CuPy, leaves it out.
"""

import fnmatch
import statistics
import sys
import time

import peers_dpr

ROUNDS = 11
BATCH = 8  # calls before each wait
COUNT = 1 << 28

try:
    import torch
except ImportError:
    print("peers.py: PyTorch is not installed")
    sys.exit(77)
if not torch.cuda.is_available():
    print("peers.py: PyTorch finds no CUDA device")
    sys.exit(77)
try:
    import cupy
except ImportError:
    cupy = None
if len(sys.argv) < 2:
    print(__doc__)
    sys.exit(2)


class Theirs:
    """A function of another library."""

    def __init__(self, function):
        self.function = function
        self.result = None

    def call(self):
        self.result = self.function()

    def wait(self):
        torch.cuda.synchronize()


def seconds_of(side):
    begin = time.perf_counter()
    for _ in range(BATCH):
        side.call()
    side.wait()
    return (time.perf_counter() - begin) / BATCH


def numbers(count, dtype, first):
    x = torch.arange(count, dtype=torch.int32, device="cuda") % first
    if dtype.is_floating_point:
        return x.to(dtype) * 0.01 + 0.25
    return x.to(dtype)


def is_close(ours, theirs):
    theirs = theirs.cpu()
    if ours is None:
        return False
    if not theirs.dtype.is_floating_point:
        return torch.equal(ours, theirs)
    return torch.allclose(ours.double(), theirs.double(), rtol=2e-3,
                          atol=1e-5, equal_nan=True)


def values_of(ours, like):
    out = torch.empty(like.shape, dtype=like.dtype)
    return out if ours.read(out.data_ptr(), out.numel()) else None


def rows():
    """name, text, operands, torch's function, parameters and text for CuPy

    Without a text, the values at the indices are written to the first operand."""
    f32, f64, f16 = torch.float32, torch.float64, torch.float16
    n = COUNT
    x, y = numbers(n, f32, 1021), numbers(n, f32, 509)

    def one(name, text, function, x=x, **more):
        return (name, text, {"x": x}, function, more)

    def two(name, text, function, x=x, y=y, **more):
        return (name, text, {"x": x, "y": y}, function, more)

    def put(name, x, at, values):
        theirs = x.clone()
        return (name, None, {"x": x, "at": at, "values": values},
                lambda x, at, values: theirs.index_put_((at,), values),
                {"bytes": tensor_bytes(at) + 2 * tensor_bytes(values)})

    yield two("add", "x + y", lambda x, y: x + y,
              kernel=("T x, T y", "z = x + y"))
    a, b, c = (numbers(n, f32, k) for k in (127, 251, 67))
    yield ("a*b+c*d-e", "a*b + c*x - y",
           {"a": a, "b": b, "c": c, "x": x, "y": y},
           lambda a, b, c, x, y: a * b + c * x - y,
           {"kernel": ("T a, T b, T c, T x, T y", "z = a*b + c*x - y"),
            "compile": True})
    del a, b, c
    yield two("sqrt(x*x+y*y)", "sqrt(x*x + y*y)",
              lambda x, y: torch.sqrt(x * x + y * y), compile=True,
              kernel=("T x, T y", "z = sqrt(x*x + y*y)"))
    for name in "sin", "cos", "exp", "log", "tanh":
        yield one(name, name + "(x)", getattr(torch, name), compile=True)
    yield two("divide", "x / y", torch.div)
    yield two("hypot", "hypot(x, y)", torch.hypot)
    yield two("atan2", "atan2(x, y)", torch.atan2)
    yield two("pow", "x ** y", torch.pow)
    yield two("floor_divide", "x // y", torch.floor_divide)
    yield two("remainder", "x % y", torch.remainder)
    yield two("view off by one", "x + y", torch.add, x=x[1:], y=y[:-1])
    matrix = x.view(-1, 16384)
    yield two("matrix + row", "x + y", torch.add, x=matrix, y=y[:16384])
    yield two("x.T + y", "x + y", torch.add, x=matrix.T,
              y=y.view(-1, 16384), compile=True)
    small = x[:4096 * 4096].view(4096, 4096)
    yield two("x.T + y, 4096^2", "x + y", torch.add, x=small.T,
              y=y[:4096 * 4096].view(4096, 4096))
    yield two("where", "where(x > y, x, y)",
              lambda x, y: torch.where(x > y, x, y), compile=True)
    yield one("astype float16", "astype(x, float16)", lambda x: x.to(f16))
    yield one("astype float64", "astype(x, float64)", lambda x: x.to(f64))
    yield one("sum", "sum(x)", torch.sum)
    yield one("sum axis 0", "sum(x, axis=0)", lambda x: torch.sum(x, 0),
              x=matrix)
    yield one("sum axis 1", "sum(x, axis=1)", lambda x: torch.sum(x, 1),
              x=matrix)
    yield one("max", "max(x)", torch.max)
    yield one("prod", "prod(x)", torch.prod, x=x * 0 + 1)
    yield one("prod axis 1", "prod(x, axis=1)", lambda x: torch.prod(x, 1),
              x=matrix * 0 + 1)
    yield one("var", "var(x)", lambda x: torch.var(x, correction=0))
    yield one("var axis 0", "var(x, axis=0)",
              lambda x: torch.var(x, 0, correction=0), x=matrix)
    yield one("var axis 1", "var(x, axis=1)",
              lambda x: torch.var(x, 1, correction=0), x=matrix)
    yield one("var rows of 4096", "var(x, axis=1)",
              lambda x: torch.var(x, 1, correction=0), x=x.view(-1, 4096))
    yield one("var rows of 64", "var(x, axis=1)",
              lambda x: torch.var(x, 1, correction=0), x=x.view(-1, 64))
    yield one("std", "std(x)", lambda x: torch.std(x, correction=0))
    yield one("var float16", "var(x)", lambda x: torch.var(x, correction=0),
              x=numbers(n, f16, 101))
    yield two("isclose", "isclose(x, y)", torch.isclose)
    yield two("vecdot rows", "vecdot(x, y)",
              lambda x, y: torch.linalg.vecdot(x, y), x=matrix, y=matrix)
    yield one("vector_norm", "vector_norm(x)", torch.linalg.vector_norm)
    yield one("vector_norm axis 1", "vector_norm(x, 1)",
              lambda x: torch.linalg.vector_norm(x, dim=1), x=matrix)
    yield one("diff", "diff(x)", torch.diff)
    yield one("argmax", "argmax(x)", torch.argmax)
    yield one("argmax axis 0", "argmax(x, axis=0)",
              lambda x: torch.argmax(x, 0), x=matrix)
    yield one("argmax axis 1", "argmax(x, axis=1)",
              lambda x: torch.argmax(x, 1), x=matrix)
    yield one("argmin", "argmin(x)", torch.argmin)
    for dtype in torch.int8, torch.int32, f16, f64:
        kind = str(dtype)[6:]
        other = numbers(n // dtype.itemsize * 4, dtype, 101)
        yield one("argmax " + kind, "argmax(x)", torch.argmax, x=other)
        yield one("argmax axis 0 " + kind, "argmax(x, axis=0)",
                  lambda x: torch.argmax(x, 0), x=other.view(-1, 16384))
    del other
    places = torch.randint(0, n, (n // 4,), device="cuda")
    for order, i in ("random", places), ("sorted", places.sort()[0]):
        yield two("take " + order, 'take(x, y, mode="clip")', torch.take, y=i)
    for axis in 0, 1:
        i = places[:4096] % matrix.shape[axis]
        yield two("take axis %d" % axis,
                  'take(x, y, axis=%d, mode="clip")' % axis,
                  lambda x, y, axis=axis: torch.index_select(x, axis, y),
                  x=matrix, y=i)
    rows = x.view(-1, 64)
    i = places[:n // 256] % rows.shape[0]
    by_row = 'take(x, y, axis=0, mode="clip")'
    yield two("take rows of 64", by_row,
              lambda x, y: torch.index_select(x, 0, y), x=rows, y=i)
    yield two("take rows of 64 times 2", by_row + " * 2",
              lambda x, y: torch.index_select(x, 0, y) * 2, x=rows, y=i)
    del rows
    yield two("take_along_axis", 'take_along_axis(x, y, axis=1, mode="clip")',
              lambda x, y: torch.gather(x, 1, y), x=matrix,
              y=(places % matrix.shape[1]).view(matrix.shape[0], -1))
    del places
    yield one("sinc", "sinc(x)", torch.sinc)
    yield two("nextafter", "nextafter(x, y)", torch.nextafter)
    yield two("complex", "complex(x, y)", torch.complex)
    yield two("sum((a-b)**2)", "sum((x - y)**2)",
              lambda x, y: torch.sum((x - y) ** 2), compile=True)
    yield two("sqrt(sum((a-b)**2))", "sqrt(sum((x - y)**2))",
              lambda x, y: torch.sqrt(torch.sum((x - y) ** 2)), compile=True)
    for length in 512, 1024, 4096, 16384:
        yield one("softmax %d" % length,
                  "e = exp(x - max(x, axis=1, keepdims=True)); "
                  "e / sum(e, axis=1, keepdims=True)",
                  lambda x: torch.softmax(x, 1), x=x.view(-1, length),
                  compile=True)
    wide = x.view(-1, 4096)
    yield ("layer norm", "d = x - mean(x, axis=1, keepdims=True); "
           "d / sqrt(mean(d*d, axis=1, keepdims=True) + 0.00001) * w + b",
           {"x": wide, "w": y[:4096], "b": y[4096:8192]},
           lambda x, w, b: torch.nn.functional.layer_norm(x, (4096,), w, b),
           {"compile": True})
    yield one("l2 norm", "x / sqrt(sum(x*x, axis=1, keepdims=True))",
              lambda x: torch.nn.functional.normalize(x, dim=1), x=wide,
              compile=True)
    yield one("logsumexp", "m = max(x, axis=1, keepdims=True); "
              "log(sum(exp(x - m), axis=1, keepdims=True)) + m",
              lambda x: torch.logsumexp(x, 1, keepdim=True), x=wide,
              compile=True)
    del wide
    at = torch.randperm(n // 4, device="cuda")
    yield put("put random", torch.zeros_like(x[:n // 4]), at, y[:n // 4])
    yield put("put in order", torch.zeros_like(x[:n // 4]),
              torch.arange(n // 4, device="cuda"), y[:n // 4])
    at = torch.randperm(n // 4096, device="cuda")
    yield put("put rows", torch.zeros_like(x[:n // 4]).view(-1, 1024),
              at, y[:n // 4].view(-1, 1024))
    del at
    del matrix, small
    for dtype in torch.int8, torch.int32, f16:
        size = torch.empty(0, dtype=dtype).element_size()
        k = min(n * 4 // size, 1 << 29)
        p, q = numbers(k, dtype, 61), numbers(k, dtype, 53)
        yield two("add " + str(dtype)[6:], "x + y", torch.add, x=p, y=q)
        if dtype == f16:
            yield one("exp float16", "exp(x)", torch.exp, x=p)
        del p, q
    p, q = numbers(n // 2, f64, 1021), numbers(n // 2, f64, 509)
    for name in "exp", "log", "sin", "cos", "tanh":
        yield one(name + " float64", name + "(x)", getattr(torch, name), x=p)
    yield two("pow float64", "x ** y", torch.pow, x=p, y=q)
    yield two("atan2 float64", "atan2(x, y)", torch.atan2, x=p, y=q)
    for kind, x, y in ("", x, y), (" float64", p, q):
        for name in ("exp2", "expm1", "log2", "log10", "log1p", "tan", "atan",
                     "sinh", "cosh", "asinh", "reciprocal", "rsqrt",
                     "deg2rad", "rad2deg", "erf", "erfc", "lgamma"):
            yield one(name + kind, name + "(x)", getattr(torch, name), x=x)
        yield one("acosh" + kind, "acosh(x)", torch.acosh, x=x)
        for name in "logaddexp", "fmin", "fmax", "fmod", "heaviside":
            yield two(name + kind, name + "(x, y)", getattr(torch, name), x=x,
                      y=y)
        part = x * (1 / 10.5)  # between 0 and 1
        for name in "asin", "acos", "atanh":
            yield one(name + kind, name + "(x)", getattr(torch, name), x=part)
        del part


def tensor_bytes(x):
    return x.numel() * x.element_size()


def run(row, queue):
    name, text, operands, function, more = row
    tensors = list(operands.values())
    ours = (peers_dpr.Ours(text, operands, queue) if text
            else peers_dpr.Put(operands, queue))
    sides = {"torch": Theirs(lambda: function(*tensors))}
    if more.get("compile"):
        compiled = torch.compile(function)
        sides["compile"] = Theirs(lambda: compiled(*tensors))
    if more.get("kernel") and cupy:
        parameters, code = more["kernel"]
        kernel = cupy.ElementwiseKernel(parameters, "T z", code, "peer")
        views = [cupy.from_dlpack(t) for t in tensors]
        sides["cupy"] = Theirs(lambda: kernel(*views))
    source = tensors[0].contiguous()
    target = torch.empty_like(source)
    copy = Theirs(lambda: target.copy_(source))
    torch.cuda.synchronize()  # the operands come from another stream
    ours.call()
    ours.wait()
    for side in sides.values():
        side.call()
    torch.cuda.synchronize()
    expected = sides["torch"].result
    work = more.get("bytes") or (
        sum(map(tensor_bytes, tensors)) + tensor_bytes(expected))
    right = is_close(values_of(ours, expected), expected)
    del expected
    times = []
    for i in range(ROUNDS + 1):
        order = [ours, copy] + list(sides.values())
        if i % 2:
            order.reverse()
        took = {id(side): seconds_of(side) for side in order}
        times.append(took)
    del times[0]
    rate = work / statistics.median(t[id(ours)] for t in times)
    of_copy = statistics.median(
        (work / t[id(ours)]) / (2 * tensor_bytes(source) / t[id(copy)])
        for t in times)
    ratios = {key: "%.2f" % statistics.median(
        t[id(side)] / t[id(ours)] for t in times)
        for key, side in sides.items()}
    print("%-19s %8.1f %6.2f %6s %8s %6s%s" % (
        name, rate * 1e-9, of_copy, ratios["torch"],
        ratios.get("compile", ""), ratios.get("cupy", ""),
        "" if right else "  WRONG"), flush=True)
    ours.close()
    return right


def main():
    patterns = sys.argv[2:] or ["*"]
    peers_dpr.load(sys.argv[1])
    queue = peers_dpr.queue_of(b"cuda:gpu:0")
    print("%-19s %8s %6s %6s %8s %6s" % (
        "row", "GB/s", "copy", "torch", "compile", "CuPy"))
    wrong = 0
    for row in rows():
        if any(fnmatch.fnmatch(row[0], p) for p in patterns):
            wrong += not run(row, queue)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
