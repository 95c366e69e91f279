"""Writes special.csv, the golden table of tests/scalar/special.rs.

Run:  python3 special.py > special.csv      (needs mpmath; deterministic)

Every value is computed with 60 digits (and once more with 90, which must
agree) at the exact binary value of x, then rounded once to f64. Both columns
of floats are shortest-round-trip decimals.
"""
import math
import random
import sys

from mpmath import e, erf, erfc, exp, inf, isinf, log, loggamma, mp, mpf, psi, workdps

random.seed(20240229)
DIGITS, CHECK = 60, 90
LARGEST = mpf(sys.float_info.max)


def extra(x):
    """Digits that the reductions of a negative x lose to its size."""
    return 2 * int(max(0, log(-x, 10))) if x < 0 else 0


def polygamma(n, x):
    if n == 0:
        return psi(0, x)
    if n > 10**4:  # for x of the size of n, the plain sum falls fast
        terms = mp.fsum((x / (x + k)) ** (n + 1) for k in range(400))
        return (-1) ** (n + 1) * exp(loggamma(n + 1) - (n + 1) * log(x)) * terms
    if x > 10**6:  # Euler-Maclaurin; beyond 1e6, 12 terms are 100 digits
        total = 1 / (n * x**n) + 1 / (2 * x ** (n + 1))
        for j in range(1, 13):
            rising = mp.rf(n + 1, 2 * j - 1)
            total += mp.bernoulli(2 * j) / mp.factorial(2 * j) * rising / x ** (n + 2 * j)
        return (-1) ** (n + 1) * mp.factorial(n) * total
    return psi(n, x)


FUNCTIONS = {
    "erf": lambda n, x: erf(x),
    "erfc": lambda n, x: erfc(x),
    "lgamma": lambda n, x: loggamma(x).real,
    "digamma": lambda n, x: psi(0, x),
    "polygamma": polygamma,
}


def value(name, n, x):
    """The value as f64; past the largest one, an infinity."""
    def at(digits):
        with workdps(digits + extra(x)):
            return mpf(FUNCTIONS[name](n, mpf(x)))

    v, w = at(DIGITS), at(CHECK)
    assert v == w or abs(v - w) <= mpf(10) ** -(DIGITS - 20) * abs(w), (name, n, x, v, w)
    if isinf(w) or abs(w) > LARGEST:
        return inf if w > 0 else -inf
    return float(w)


def row(name, n, x):
    x = float(x)
    print(f"{name},{n},{x!r},{float(value(name, n, x))!r}")


def near(root, count):
    """Points closing in on `root` from both sides, down to its neighbours."""
    h = float(root)
    yield h
    up = down = h
    for _ in range(3):
        up, down = math.nextafter(up, math.inf), math.nextafter(down, -math.inf)
        yield up
        yield down
    for _ in range(count):
        yield h + random.choice((-1, 1)) * 10 ** random.uniform(-15.5, -1)


def logs(lo, hi, count):
    for _ in range(count):
        yield 10 ** random.uniform(lo, hi)


def lin(lo, hi, count):
    for _ in range(count):
        yield random.uniform(lo, hi)


def negatives(count, far=5):
    """Non-integers below 0: dense in (-5, 0), then near poles, then far."""
    yield from lin(-5, 0, count)
    for _ in range(count // 3):
        yield -random.randint(1, 9) + random.choice((-1, 1)) * 10 ** random.uniform(-12, -1)
    for _ in range(count // 3):
        x = -(10 ** random.uniform(0.7, far))
        if x != int(x):
            yield x
    for k in range(4):
        yield -k - 0.5


def main():
    print("function,n,x,value")
    for x in [*lin(-6.5, 6.5, 150), *logs(-300, 0, 60), *near(0.84375, 4), *near(1.25, 4)]:
        row("erf", 0, x)
    for x in [*lin(-6.5, 28, 300), *logs(-300, 0, 40), *near(0.75, 4), *near(28.0, 0), 26.5, 27.2]:
        row("erfc", 0, x)

    for x in [*lin(0, 3, 300), *lin(3, 20, 150), *logs(1, 6, 150), *logs(6, 305, 60), *logs(-307, 0, 80)]:
        row("lgamma", 0, x)
    for x in [*near(1, 60), *near(2, 60), *near(1.2316, 8), *near(1.7316, 8), *near(8, 8)]:
        row("lgamma", 0, x)
    for x in [*negatives(180, 9), -1e-300, -1e-20, *near(-2.4570247382208006, 20), *near(-2.7476826467274127, 20)]:
        row("lgamma", 0, x)

    for x in [*lin(0, 3, 300), *lin(3, 15, 200), *logs(1, 6, 60), *logs(6, 308, 60), *logs(-307.9, 0, 80)]:
        row("digamma", 0, x)
    for x in [*near("1.4616321449683623", 120), *near(1, 10), *near(2, 10), *near(3, 10), *near(10, 10)]:
        row("digamma", 0, x)
    for x in [*negatives(180), -1e-300, -1e-20, *near(-0.5040830082644554, 20), *near(-1.5734984731623905, 20)]:
        row("digamma", 0, x)

    for n in range(1, 11):
        for x in [*lin(0, 3, 50), *lin(3, 40, 60), *logs(1.3, 300 / n, 20), *logs(-300 / (n + 1), 0, 20)]:
            row("polygamma", n, x)
        for x in [*near(1, 2), *near(12, 1), *near(13 + n, 1)]:
            row("polygamma", n, x)
        for x in negatives(30, 4):
            row("polygamma", n, x)
    for n in [11, 15, 20, 22, 23, 24, 30, 50, 100, 170, 171, 250]:
        for x in [*lin(0.3, 3, 6), *lin(3, 2 * n, 10), *logs(1.3, 3, 6), *lin(-3, 0, 4)]:
            row("polygamma", n, x)
    for x in [*lin(200, 2500, 20)]:
        row("polygamma", 2000, x)
    for n in [10**5, 10**5 + 1, 10**7, 10**9, 2**32 - 1]:
        for x in [float(n / e * (1 + shift / n)) for shift in lin(-600, 650, 6)]:
            row("polygamma", n, x)
    for x in [1e-200, 1e-154, 1e-100, 1e100, 1e200, 1e308]:
        for n in [0, 1, 2]:
            row("polygamma", n, x)


if __name__ == "__main__":
    main()
