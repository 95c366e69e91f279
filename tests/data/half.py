"""Writes half.csv, the golden table of tests/scalar/half.rs.

Run:  python3 half.py > half.csv      (needs numpy; deterministic)

Numbers are written by their bits: those of a double for `round`, of halves
otherwise. numpy computes with halves in singles and rounds the results.
"""
import warnings

import numpy as np

warnings.filterwarnings("ignore")

DOUBLES = [
    0.0, -0.0, 1.0, 0.1, 1 / 3, -2.5, 2049.0, 2051.0, 4097.0, 65504.0, 65519.99999999999, 65520.0, -65536.0, 1e300,
    2.0**-14, 2.0**-14 * (1 - 2.0**-11), 2.0**-14 * (1 - 2.0**-12), 2.0**-24, 2.0**-25, 2.0**-25 * (1 + 2.0**-52),
    -(2.0**-25), 3 * 2.0**-25, 5e-324, 1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-52, 1 + 3 * 2.0**-11, np.inf, -np.inf,
]
HALVES = [0x0000, 0x8000, 0x0001, 0x83FF, 0x0400, 0x2E66, 0x3555, 0x3800, 0x3C01, 0xBE00, 0x4248, 0xC500, 0x4880, 0x5640, 0x7BFF, 0xFC00]
FUNCTIONS = {"exp": np.exp, "ln": np.log, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "sqrt": np.sqrt}
PAIRS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}


def bits(x):
    return "nan" if np.isnan(x) else f"{x.view(np.uint16):04x}"


print("function,x,y,value")
for x in np.array(DOUBLES):
    print(f"round,{x.view(np.uint64):016x},,{bits(x.astype(np.float16))}")
halves = np.array(HALVES, dtype=np.uint16).view(np.float16)
for name, function in FUNCTIONS.items():
    for x in halves:
        print(f"{name},{bits(x)},,{bits(function(x))}")
for name, function in PAIRS.items():
    for k, x in enumerate(halves):
        for y in halves[k % 3 :: 3]:
            print(f"{name},{bits(x)},{bits(y)},{bits(function(x, y))}")
