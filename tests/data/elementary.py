"""Writes elementary.csv, the golden table of tests/scalar/vector_math.rs.

Run:  python3 elementary.py [points] > elementary.csv      (needs mpmath; deterministic)

Every value is computed with 60 digits at the exact binary arguments, past the
digits that cancel, and rounded to f64 once; `rest` is what was rounded off, in
units of the last place of `value`. Floats are shortest-round-trip decimals.
"""
import math
import random
import struct
import sys

from mpmath import mp, mpf
import mpmath as m

POINTS = int(sys.argv[1]) if len(sys.argv) > 1 else 160
mp.dps = 60


def digits(x):
    """Enough digits for what is lost where x is far from, or next to, where things happen."""
    return 60 + int(abs(math.log10(abs(x)))) * 2 if x else 60


FUNCTIONS = {
    "exp": m.exp,
    "exp2": lambda x: mpf(2) ** x,
    "expm1": m.expm1,
    "ln": m.log,
    "log2": lambda x: m.log(x) / m.log(2),
    "log10": lambda x: m.log(x) / m.log(10),
    "log1p": m.log1p,
    "sin": m.sin,
    "cos": m.cos,
    "tan": m.tan,
    "asin": m.asin,
    "acos": m.acos,
    "atan": m.atan,
    "sinh": m.sinh,
    "cosh": m.cosh,
    "tanh": m.tanh,
    "asinh": m.asinh,
    "acosh": m.acosh,
    "atanh": m.atanh,
    "cbrt": lambda x: m.sign(x) * m.root(abs(x), 3),
    "erf": m.erf,
    "erfc": m.erfc,
    "sigmoid": lambda x: 1 / (1 + m.exp(-x)),
    "softplus": lambda x: m.log1p(m.exp(x)),
    "pow": lambda x, y: m.power(x, y),
    "atan2": lambda y, x: m.atan2(y, x),
    "hypot": lambda x, y: m.sqrt(x * x + y * y),
}
# Where the function is at home, and where it is delicate: (centre, half width).
LINE = [(0, 1), (0, 10)]
PLACES = {
    "exp": [(0, 1), (0, 30), (0, 745), (709.5, 0.28), (-745, 1), (-708.4, 1)],
    "exp2": [(0, 1), (0, 30), (0, 1074), (1023.5, 0.49), (-1074, 1), (-1022, 1)],
    "expm1": [(0, 0.4), (0, 1.1), (0, 30), (0.3466, 0.01), (-0.3466, 0.01), (709.5, 0.28), (-37, 3)],
    "ln": [(1, 1e-3), (1, 0.5), (2, 2), (1.4142, 0.01), (0.7071, 0.01)],
    "log1p": [(0, 1e-3), (0, 0.5), (0.4142, 0.01), (-0.2929, 0.01), (-0.75, 0.25), (0, 1)],
    "sin": [(0, 1), (0, 10), (0, 100), (0, 1e5), (0, 1.6e6)],
    "asin": [(0, 1), (0.5, 0.01), (1, 0.001), (-0.5, 0.01)],
    "atan": [(0, 1), (0, 10), (2.4142, 0.01), (0.4142, 0.01)],
    "sinh": [(0, 1), (0, 2), (1, 0.01), (0, 30), (710, 0.47)],
    "tanh": [(0, 0.3), (0, 1), (0, 5), (0.1733, 0.01), (19, 2)],
    "asinh": [(0, 0.5), (0, 2), (0, 1000)],
    "acosh": [(1.25, 0.25), (1.001, 0.001), (5, 4), (500, 499)],
    "atanh": [(0, 0.2), (0, 1), (0.99, 0.01), (0.2, 0.1)],
    "cbrt": [(0, 1), (0, 8)],
    "erf": [(0, 1), (0, 3), (0.75, 0.01), (0, 6)],
    "erfc": [(0, 1), (0, 3), (0.75, 0.01), (13, 13), (26.5, 0.7)],
    "sigmoid": [(0, 1), (0, 40), (-400, 345)],
    "softplus": [(0, 1), (0, 40), (-400, 345)],
}
for name, of in {"log2": "ln", "log10": "ln", "cos": "sin", "tan": "sin", "acos": "asin", "cosh": "sinh"}.items():
    PLACES[name] = PLACES[of]


def wide():
    """Any finite double, all exponents alike."""
    while True:
        x = struct.unpack("<d", struct.pack("<Q", random.getrandbits(64)))[0]
        if math.isfinite(x):
            return x


def one_argument(name):
    for k in range(POINTS):
        if k % 4 == 0:
            x = wide()
            # Most of the exponents are past all interest for most functions.
            x = math.ldexp(math.frexp(x)[0], random.randint(-30, 20)) if k % 8 == 0 else x
        elif k % 4 == 1 and name in ("sin", "cos", "tan"):
            x = float(random.randint(-(10**random.randint(1, 6)), 10**6) * mp.pi / 2)
        else:
            centre, width = random.choice(PLACES[name])
            x = centre + random.uniform(-width, width)
        yield (x,)


def two_arguments(name):
    for k in range(3 * POINTS):
        if name == "pow":
            x = [abs(wide()), random.uniform(0, 2), 1 + random.uniform(-1, 1) * 10.0 ** random.randint(-15, -1)][k % 3]
            to = random.uniform(-745, 710) if k % 2 else random.uniform(-30, 30)
            yield x, to / math.log(x) if x not in (0.0, 1.0) else 2.0
        elif k % 4 == 0:
            yield wide(), wide()
        else:
            x = wide() if k % 4 == 1 else 1.0
            y = x * 2.0 ** (random.uniform(-3, 3) if k % 8 < 6 else random.uniform(-1000, 1000)) * random.choice([-1, 1])
            yield random.choice([(x, y), (y, x)])


def fits(name, at):
    x = at[0]
    inside = {
        "ln": x > 0, "log2": x > 0, "log10": x > 0, "log1p": x > -1, "asin": abs(x) <= 1, "acos": abs(x) <= 1,
        "acosh": x >= 1, "atanh": abs(x) < 1, "sin": abs(x) <= 1.6e6, "cos": abs(x) <= 1.6e6, "tan": abs(x) <= 1.6e6,
    }
    return inside.get(name, True) and all(math.isfinite(c) for c in at)


def rounded(v):
    """v as f64 and the rest in ulp, or nothing where it over- or underflows to the end."""
    if v != 0 and (abs(v) > mpf(sys.float_info.max) or abs(v) < mpf(2) ** -1074):
        return None
    value = float(v)
    return value, float((v - mpf(value)) / mpf(math.ulp(value)))


def clipped(name, x):
    """Whether the function has reached its end long before: mpmath would work for hours."""
    return name not in ("ln", "log2", "log10", "log1p", "asinh", "acosh", "cbrt", "atan") and abs(x) > 1e7


print("function,x,y,value,rest")
for name, function in FUNCTIONS.items():
    random.seed(name)
    two = name in ("pow", "atan2", "hypot")
    for at in two_arguments(name) if two else one_argument(name):
        if not fits(name, at) or (not two and clipped(name, at[0])):
            continue
        mp.dps = max(digits(c) for c in at)
        v = function(*map(mpf, at))
        result = rounded(v)
        if result:
            y = repr(at[1]) if two else ""
            print(f"{name},{at[0]!r},{y},{result[0]!r},{result[1]:.3f}")
