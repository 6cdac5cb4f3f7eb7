#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write tests/dtype_fixtures.h: what NumPy promotes and casts."""
import sys
import numpy as np

NAMES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16",
         "uint32", "uint64", "float16", "float32", "float64", "complex64",
         "complex128"]


def main(path):
    with open(path, "w") as f:
        f.write("/* SPDX-License-Identifier: Apache-2.0 */\n"
                "/* Made by tests/make_dtype_fixtures.py with NumPy %s,\n"
                "   Python %s: a, b, promote_types(a, b), can_cast(a, b). */\n"
                % (np.__version__, sys.version.split()[0]))
        for a in NAMES:
            for b in NAMES:
                f.write("ROW(%s, %s, %s, %d)\n" %
                        (a, b, np.promote_types(a, b), np.can_cast(a, b)))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/dtype_fixtures.h")
