#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the sample files: x.npy, a row of -4..4, and y.npy, a column of -4..4.

sqrt(x*x + y*y) over them is a table of distances from the origin.  Needs no
NumPy, so that it is plain what a .npy file is.
"""
import os
import struct

VALUES = [float(i) for i in range(-4, 5)]


def save(name, shape, values):
    """Write float32 values as .npy 1.0, C order, little endian."""
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
    # Magic, version and length take 10 bytes; data starts at a multiple of 64.
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00")
        file.write(struct.pack("<H", len(header)))
        file.write(header.encode("ascii"))
        file.write(struct.pack("<%df" % len(values), *values))


save("x.npy", (9,), VALUES)
save("y.npy", (9, 1), VALUES)
