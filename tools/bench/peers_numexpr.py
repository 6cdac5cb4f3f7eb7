#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Expressions by dpr on the CPU and by numexpr, in turns.

usage: peers_numexpr.py LIBDPR [SELECTOR [THREADS [MILLIONS]]]
LIBDPR is the library's file (libdpr.so).  By default: host, 2 threads, arrays of
8 million elements.  dpr uses the CPUs that it may: start both with taskset.
Prints a line for each expression: the milliseconds of dpr and of numexpr, and
numexpr's time divided by dpr's, the median of the ratios within a round.
Results are compared.  Without NumPy or numexpr, says so and exits with 77.
"""

import statistics
import sys
import time

import peers_dpr

ROUNDS = 15

try:
    import numexpr
    import numpy as np
except ImportError as error:
    print("peers_numexpr.py: %s" % error)
    sys.exit(77)

# What numexpr's documentation and benchmarks compute; for dpr, if it is written
# otherwise there.  a, b, c, d, e are float64, f and g float32.
EXPRESSIONS = [
    ("a + 1", None),
    ("2*a + 3*b", None),
    ("b*c + d*e", None),
    ("a*b - 4.1*a > 2.5*b", None),
    ("a**2 + b**2 + 2*a*b", None),
    ("((a + b)*c - d)/e", None),
    ("sqrt(a**2 + b**2)", None),
    ("2*a + (cos(3) + 5)*sqrt(b)", None),
    ("2*a + arctan2(a, b)", "2*a + atan2(a, b)"),
    ("where(0.1*a > arctan2(a, b), 2*a, arctan2(a, b))",
     "where(0.1*a > atan2(a, b), 2*a, atan2(a, b))"),
    ("where(a != 0.0, 2, b)", "where(a != 0.0, 2.0, b)"),
    ("where(a%2 != 0.0, b + 5, 2)", "where(a%2 != 0.0, b + 5, 2.0)"),
    ("sin(a)", None),
    ("exp(-a)", None),
    ("log(a) + tanh(b)", None),
    ("sin(a)**2 + cos(b)**2", None),
    ("0.25*a**3 + 0.75*a**2 - 1.5*a - 2", None),
    ("f*g + f", None),
    ("sqrt(f*f + g*g)", None),
    ("sin(f)", None),
    ("exp(-g)", None),
    ("sum(a*b)", None),
]


class Theirs:
    """An expression of numexpr, always into the same array, as new memory takes
    long: dpr gets its results from a pool."""

    def __init__(self, text, operands):
        self.text, self.operands = text, operands
        self.into = {}
        self.call()
        if self.result.ndim:
            self.into = {"out": self.result}

    def call(self):
        self.result = numexpr.evaluate(self.text, local_dict=self.operands,
                                       **self.into)

    def wait(self):
        pass


def seconds_of(side):
    begin = time.perf_counter()
    side.call()
    side.wait()
    return time.perf_counter() - begin


def is_close(ours, like):
    out = np.empty(like.shape, like.dtype)
    return bool(ours.read(out.ctypes.data, out.size)) and \
        np.allclose(out, like, rtol=1e-5)


def run(text, written, operands, queue):
    used = {k: x for k, x in operands.items()
            if k in numexpr.NumExpr(text).input_names}
    ours = peers_dpr.Ours(written or text, used, queue)
    theirs = Theirs(text, used)
    times = []
    for i in range(ROUNDS + 1):
        order = [ours, theirs] if i % 2 else [theirs, ours]
        took = {id(side): seconds_of(side) for side in order}
        times.append((took[id(ours)], took[id(theirs)]))
    del times[0]
    right = is_close(ours, np.asarray(theirs.result))
    print("%-48s %8.2f %8.2f %6.2f%s" % (
        text, 1e3 * statistics.median(t[0] for t in times),
        1e3 * statistics.median(t[1] for t in times),
        statistics.median(t[1] / t[0] for t in times),
        "" if right else "  WRONG"), flush=True)
    ours.close()
    return right


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    peers_dpr.load(sys.argv[1])
    queue = peers_dpr.queue_of(
        (sys.argv[2] if len(sys.argv) > 2 else "host").encode())
    numexpr.set_num_threads(int(sys.argv[3]) if len(sys.argv) > 3 else 2)
    n = int(float(sys.argv[4] if len(sys.argv) > 4 else 8) * 1e6)
    numbers = np.random.default_rng(1)
    operands = {k: numbers.uniform(0.5, 10, n) for k in "abcde"}
    operands.update({k: numbers.uniform(0.5, 10, n).astype(np.float32)
                     for k in "fg"})
    print("%-48s %8s %8s %6s" % ("expression", "dpr, ms", "numexpr", "ratio"))
    wrong = 0
    for text, written in EXPRESSIONS:
        wrong += not run(text, written, operands, queue)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
