#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Add and multiply-add of float32 by dpr and by PyTorch, in turns.

usage: torch_add.py LIBDPR [ELEMENTS]
LIBDPR is the library's file (libdpr.so), ELEMENTS the number of elements (2^28
by default).  Uses the first CUDA device.  Prints a line for each operation: the
median GB/s read and written by dpr and by torch, and the median of the ratios
within a round.  Without PyTorch or a CUDA device, says so and exits with 77.
"""

import ctypes
import statistics
import sys
import time

ROUNDS = 15
# Calls before each wait.
BATCH = 8
FLOAT32 = 12

try:
    import torch
except ImportError:
    print("torch_add.py: PyTorch is not installed")
    sys.exit(77)
if not torch.cuda.is_available():
    print("torch_add.py: PyTorch finds no CUDA device")
    sys.exit(77)
if len(sys.argv) < 2:
    print(__doc__)
    sys.exit(2)



class Shape(ctypes.Structure):  # dpr_shape
    _fields_ = [
        ("rank", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("dim", ctypes.POINTER(ctypes.c_int64)),
    ]


class Operand(ctypes.Structure):  # dpr_operand, of an array
    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("array", ctypes.c_void_p),
        ("unused", ctypes.c_void_p),
    ]


dpr = ctypes.CDLL(sys.argv[1])
void = ctypes.c_void_p
dpr.dpr_last_error.restype = ctypes.c_char_p
dpr.dpr_array_release.argtypes = [void]
dpr.dpr_array_release.restype = None
dpr.dpr_array_from_memory.argtypes = [void, Shape, void, ctypes.c_int, void,
                                      void]
dpr.dpr_array_to_memory.argtypes = [void, void, void]
dpr.dpr_add_into.argtypes = [Operand, Operand, void]
dpr.dpr_multiply_add_into.argtypes = [Operand, Operand, Operand, void]
dpr.dpr_queue_wait.argtypes = [void]
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 28


def check(status):
    if status:
        sys.exit("torch_add.py: " + dpr.dpr_last_error().decode())


def new_array(tensor, queue):
    """Copy the elements of a tensor of the host into a new array."""
    out = void()
    shape = Shape(1, 0, (ctypes.c_int64 * 1)(tensor.numel()))
    check(dpr.dpr_array_from_memory(tensor.data_ptr(), shape, None, FLOAT32,
                                    queue, ctypes.byref(out)))
    return out


def main():
    queue = void()
    check(dpr.dpr_canonical_queue(b"cuda:gpu:0", ctypes.byref(queue)))
    host = [torch.arange(COUNT, dtype=torch.float32) % n
            for n in (1021, 509, 127)]
    theirs = [tensor.cuda() for tensor in host]
    ours = [new_array(tensor, queue) for tensor in host]
    x, y, z = (Operand(0, 0, array.value, None) for array in ours)
    out = new_array(host[0], queue)
    result = torch.empty_like(theirs[0])

    def time_ours(call):
        begin = time.perf_counter()
        for _ in range(BATCH):
            check(call())
        check(dpr.dpr_queue_wait(queue))
        return time.perf_counter() - begin

    def time_theirs(call):
        begin = time.perf_counter()
        for _ in range(BATCH):
            call()
        torch.cuda.synchronize()
        return time.perf_counter() - begin

    def same():
        """Whether dpr and torch have the same result."""
        copy = torch.empty(COUNT, dtype=torch.float32)
        check(dpr.dpr_array_to_memory(out, void(copy.data_ptr()), None))
        return torch.equal(copy, result.cpu())

    rows = [
        ("add", 3, lambda: dpr.dpr_add_into(x, y, out),
         lambda: torch.add(theirs[0], theirs[1], out=result)),
        ("multiply-add", 4,
         lambda: dpr.dpr_multiply_add_into(x, y, z, out),
         lambda: torch.addcmul(theirs[2], theirs[0], theirs[1], out=result)),
    ]
    print("%-14s %8s %8s %6s" % ("name", "dpr", "torch", "ratio"))
    for name, operands, ours_call, theirs_call in rows:
        times = []
        for i in range(ROUNDS + 1):
            if i % 2:
                a = time_ours(ours_call)
                b = time_theirs(theirs_call)
            else:
                b = time_theirs(theirs_call)
                a = time_ours(ours_call)
            times.append((a, b))
        if not same():
            sys.exit("torch_add.py: %s: the results differ" % name)
        times = times[1:]
        work = operands * 4.0 * COUNT * BATCH * 1e-9
        print("%-14s %8.1f %8.1f %6.3f" % (
            name, work / statistics.median(t[0] for t in times),
            work / statistics.median(t[1] for t in times),
            statistics.median(t[1] / t[0] for t in times)))
    for array in ours + [out]:
        dpr.dpr_array_release(array)
    return 0


if __name__ == "__main__":
    sys.exit(main())
