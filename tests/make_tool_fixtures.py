#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write tests/fixtures/npy.bin and expressions.txt from NumPy and Python.

Run by hand; the results are committed and name the versions they come from.

npy.bin holds .npy files as NumPy writes them: after a line of text, records of
name length, size (uint32, little endian), name, bytes.  Element k in C order of
the shape (2, 3) is k*3 - 4 (signed), k*3 (unsigned), k*0.5 - 1 (floats),
(k*0.5 - 1) - k*1j (complex), k % 2 (bool).

expressions.txt holds lines of three columns between tabs:
    tree   EXPR  the tree, as Python's ast has it
    value  EXPR  Python's repr() of the value
    error  EXPR  Python cannot parse or compute it either
"""
import ast
import io
import os
import random
import struct
import sys

import numpy as np

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
VERSIONS = "python %s numpy %s" % (sys.version.split()[0], np.__version__)


# --- .npy ---------------------------------------------------------------------

def elements(dtype):
    k = np.arange(6)
    kind = np.dtype(dtype).kind
    if kind == "b":
        values = k % 2
    elif kind == "i":
        values = k * 3 - 4
    elif kind == "u":
        values = k * 3
    elif kind == "f":
        values = k * 0.5 - 1
    else:
        values = (k * 0.5 - 1) - k * 1j
    return values.astype(dtype).reshape(2, 3)


def npy_files():
    codes = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4",
             "f8", "c8", "c16"]
    for code in codes:
        for order in "<>":
            for layout in "CF":
                for version in ((1, 0), (2, 0), (3, 0)):
                    if version != (1, 0) and (order, layout) != ("<", "C"):
                        continue
                    array = np.array(elements(order + code), order=layout,
                                     dtype=order + code)
                    out = io.BytesIO()
                    np.lib.format.write_array(out, array, version=version)
                    yield ("%s%s %s %d" % (order, code, layout, version[0]),
                           out.getvalue())
    for name, array in (("scalar", np.float32(1.5)),
                        ("row", np.arange(7, dtype="<i2")),
                        ("empty", np.zeros((0, 3), dtype="<f8")),
                        ("deep", np.zeros((1,) * 32, dtype="<u1"))):
        out = io.BytesIO()
        np.save(out, array)
        yield name, out.getvalue()


def write_npy():
    with open(os.path.join(HERE, "npy.bin"), "wb") as file:
        file.write(("dpr .npy samples, %s\n" % VERSIONS).encode())
        for name, data in npy_files():
            file.write(struct.pack("<II", len(name), len(data)))
            file.write(name.encode() + data)


# --- Expressions --------------------------------------------------------------

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
    ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.BitAnd: "&",
    ast.BitOr: "|", ast.BitXor: "^", ast.Eq: "==", ast.NotEq: "!=",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.UAdd: "+", ast.USub: "-", ast.Invert: "~",
}


def number(value):
    if isinstance(value, complex):
        return "%.17gj" % value.imag
    if isinstance(value, float):
        return "%.17gf" % value
    return str(value)


def dump(node):
    if isinstance(node, ast.Expression):
        return dump(node.body)
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool) or node.value is None:
            return str(node.value)
        if isinstance(node.value, str):
            return repr(node.value)
        return number(node.value)
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.UnaryOp):
        return "(%s %s)" % (OPERATORS[type(node.op)], dump(node.operand))
    if isinstance(node, ast.BinOp):
        return "(%s %s %s)" % (OPERATORS[type(node.op)], dump(node.left),
                               dump(node.right))
    if isinstance(node, ast.Compare):
        assert len(node.ops) == 1
        return "(%s %s %s)" % (OPERATORS[type(node.ops[0])], dump(node.left),
                               dump(node.comparators[0]))
    if isinstance(node, ast.Call):
        words = [node.func.id] + [dump(a) for a in node.args]
        words += ["(%s= %s)" % (k.arg, dump(k.value)) for k in node.keywords]
        return "(" + " ".join(words) + ")" if len(words) > 1 \
            else "(%s)" % words[0]
    if isinstance(node, ast.Tuple):
        return "(" + " ".join(["tuple"] + [dump(e) for e in node.elts]) + ")"
    raise ValueError(ast.dump(node))


TREES = [
    "x", "x+y", "x - y - z", "x*y + z", "x + y*z", "-x**2", "2**-x", "2**3**4",
    "-x**-y**-z", "~x & y | z ^ w", "x & y == z", "x | y < z", "not_a + b",
    "x // y % z", "x / y * z", "+-~x", "-2", "- 2 ** 2", "(x)", "((x + y)) * z",
    "()", "(x,)", "(x, y)", "(x, y,)", "f()", "f(x)", "f(x, y)", "f(x,)",
    "sum(x, axis=0)", "sum(x, axis=-1, keepdims=True)",
    "sum(x, axis=(0, -1))", "f(a=1, b=2)", "f(f(f(x)))",
    "where(x > 0, x, -x)", "astype(x, float32)", "astype(x, 'float32')",
    'astype(x, "int8")', "1", "1_000", "0", "00", "0x1F", "0XfF", "0o17",
    "0b101", "0x_f", "1.", ".5", "1.5", "1e5", "1E-5", "1.e+5", "1_0.0_1e1_0",
    "3j", "3.5J", "1e2j", "0j", "010j", "1e400", "18446744073709551615",
    "9223372036854775808", "x1 + _y", "True + False", "None", "e1+e",
    "a*-b", "a**b**c*d", "a<b", "a+b<c+d", "a&b<c|d", "x%-y",
    "x- -y", "x--y", "x**+y", "~-x", "-~x**2", "f(-x, (1, 2), k=(y))",
]

ERRORS = [
    "", " ", "(", ")", "x +", "* x", "x y", "x + * y", "f(", "f(x", "f(x,",
    "f(,)", "f(x,,y)", "(x", "x)", "(,)", "(x,,y)", "1__0", "1_", "0x", "0b2",
    "0o8", "012", "1.5.5", "1e", "1x", "'abc", "x = 1", "f(a=)", "f(a=1, 2)",
    "x ! y", "x =! y", "x $ y", "x ? y", "x === y", "x <> y", "x ** ", "~",
    "f(1=2)", "0xg", "1e+", "1jx", "x..y", "\x01", "x;y", "`x`", "a := 1",
    "1 // 0", "1 % 0", "1 / 0", "1.0 / 0", "0 ** -1", "0.0 ** -1", "1.5 & 1",
    "~1.5", "1j < 2", "1j // 1", "1j % 2", "1j / 0", "10.0 ** 400",
]

VALUES = [
    "1 + 2", "7 // 2", "-7 // 2", "7 // -2", "-7 // -2", "7 % 3", "-7 % 3",
    "7 % -3", "-7 % -3", "1 / 3", "6 / 3", "7.5 // 2", "-7.5 // 2",
    "-7.5 % 2", "7.5 % -2", "5 % 1e308", "-5.0 // 1e400", "-5 % 1e400",
    "0.0 // -3", "-0.0 % 3", "2 ** 10", "2 ** 63", "(-2) ** 63", "2 ** -1",
    "(-8) ** (1/3)", "(-1) ** 0.5", "2 ** 0.5", "0 ** 0", "1j ** 2",
    "1j * 1j", "(1 + 2j) / (3 - 4j)", "(1+2j) - 1", "2j", "-2j", "1 - 0j",
    "(1+2j) ** 3", "(1+2j) ** -2", "0j ** 0", "5 & 3", "5 | 3", "5 ^ 3", "~5",
    "-5 & 3", "-5 | 3", "True & False", "True ^ True", "True + True", "-True",
    "True | 4", "1 < 2", "1 == 1.0", "1 != 2", "2 >= 3", "1j == 1j",
    "1 + 0j == 1", "True == 1", "1e400 > 1", "1e16", "1e15", "1e-4", "1e-5",
    "123456.789", "0.1 + 0.2", "100.0", "1e22", "5e-324", "1.5e300 * 1e10",
    "1e400", "-1e400", "1e400 - 1e400", "-0.0", "0.0", "3 * 0.5", "2 - 5",
    "9223372036854775807 + 1", "18446744073709551615 - 1",
    "-9223372036854775807 - 1", "18446744073709551615 // 3",
    "18446744073709551615 % 10", "4294967296 * 4294967295", "-(2**63)",
    "3.0 ** 2", "1e308 * 10", "True / 2", "7 // 2.0", "1_000 * 2", "0x10 + 0b1",
    "10 ** 19", "(-3) ** 3", "(-1) ** 1000001", "1 ** 100000000000", "+True",
    "999.9999999999999", "0.09999999999999999", "9999999999999998.0", "0.0001",
    "0.00009999999999999999", "0.0999 - 1j", "-0.00099",
    "9007199254740993 == 9007199254740992.0",
    "9007199254740993 > 9007199254740992.0",
    "9007199254740992.0 < 9007199254740993",
    "-9007199254740993 <= -9007199254740992.0",
    "18446744073709551615 == 18446744073709551616.0",
    "18446744073709551615 < 18446744073709551616.0",
    "18446744073709551615 < 1e30", "-1 > -1e400", "2 < 2.5", "-2 > -2.5",
    "3 != 3.0", "1 < 1e400 - 1e400", "1 != 1e400 - 1e400",
    "9007199254740993 == 9007199254740992 + 0j",
    "9007199254740992 == 9007199254740992 + 0j",
]


def random_expression(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.15:
        return rng.choice(["x", "y", "z", "1", "2.5", "3j", "abc"])
    if kind < 0.3:
        return rng.choice("+-~") + random_expression(rng, depth - 1)
    if kind < 0.4:
        return "(" + random_expression(rng, depth - 1) + ")"
    if kind < 0.5:
        return "f(" + random_expression(rng, depth - 1) + ", axis=" + \
            random_expression(rng, depth - 1) + ")"
    symbol = rng.choice(["+", "-", "*", "/", "//", "%", "**", "&", "|", "^"])
    space = rng.choice(["", " "])
    return random_expression(rng, depth - 1) + space + symbol + space + \
        random_expression(rng, depth - 1)


def check_error(text):
    """An entry of ERRORS must fail in Python, too."""
    try:
        eval(text, {"__builtins__": {}}, {})
    except Exception:
        return
    raise AssertionError(text)


def lines():
    rng = random.Random(20250101)
    for text in TREES + [random_expression(rng, 5) for _ in range(250)]:
        yield "tree", text, dump(ast.parse(text, mode="eval"))
    for text in VALUES:
        yield "value", text, repr(eval(text))
    for text in ERRORS:
        check_error(text)
        yield "error", text, ""


def write_expressions():
    path = os.path.join(HERE, "expressions.txt")
    with open(path, "w", encoding="ascii") as file:
        file.write("# dpr expressions, %s\n" % VERSIONS)
        for kind, text, result in lines():
            assert "\t" not in text + result and "\n" not in text + result, text
            file.write("%s\t%s\t%s\n" % (kind, text, result))


os.makedirs(HERE, exist_ok=True)
write_npy()
write_expressions()
