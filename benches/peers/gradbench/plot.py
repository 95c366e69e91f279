"""Plots of what `compare --scaling` has measured: a picture of times and memory for each module, in plain SVG."""

import json
import math
import sys
from pathlib import Path

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 380, 260, 58, 26, 12, 40
COLOURS = ["#1b6ca8", "#c4501b", "#2e8540", "#7b3fa0"]


def ticks(low, high, logarithmic):
    """Values between two others that are easy to read."""
    if logarithmic:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        return [10.0**power for power in powers if low <= 10.0**power <= high]
    step = max(1, round((high - low) / 5))
    return [low + k * step for k in range(int((high - low) / step) + 1)]


def written(value):
    return f"{value:g}" if 1e-3 <= abs(value) < 1e5 or value == 0 else f"1e{round(math.log10(value))}"


class Axis:
    """From values to places, between two of them."""

    def __init__(self, values, places, logarithmic):
        self.logarithmic, (self.start, self.end) = logarithmic, places
        low, high = min(values), max(values)
        if logarithmic:
            low, high = low / 1.3, high * 1.3
        elif low == high:
            low, high = low - 1, high + 1
        self.low, self.high = low, high

    def __call__(self, value):
        scale = math.log10 if self.logarithmic else float
        part = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
        return self.start + part * (self.end - self.start)


def panel(shift, title, variable, quantity, series, across):
    points = [point for of in series.values() for point in of]
    x = Axis([point["at"] for point in points], (LEFT, WIDTH - RIGHT), across)
    y = Axis([point[quantity] for point in points], (HEIGHT - BOTTOM, TOP), True)
    out = [f'<g transform="translate({shift},0)"><text x="{LEFT}" y="16" font-weight="bold">{title}</text>']
    frame = f'x="{LEFT}" y="{TOP}" width="{WIDTH - RIGHT - LEFT}" height="{HEIGHT - BOTTOM - TOP}"'
    out.append(f'<rect {frame} fill="none" stroke="#999"/>')
    for value in ticks(x.low, x.high, across):
        at, foot = round(x(value), 1), HEIGHT - BOTTOM
        out.append(f'<path d="M{at} {foot}v4" stroke="#999"/>')
        out.append(f'<text x="{at}" y="{foot + 16}" text-anchor="middle">{written(value)}</text>')
    for value in ticks(y.low, y.high, True):
        at = round(y(value), 1)
        out.append(f'<path d="M{LEFT} {at}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        out.append(f'<text x="{LEFT - 4}" y="{at + 4}" text-anchor="end">{written(value)}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 6}" text-anchor="middle">{variable}</text>')
    functions = list(dict.fromkeys(label.rsplit(", ", 1)[0] for label in series))
    for label, of in series.items():
        function, threads = label.rsplit(", ", 1)
        colour = COLOURS[functions.index(function) % len(COLOURS)]
        dashes = "" if threads == "1" else ' stroke-dasharray="5 3"'
        places = [f'{x(point["at"]):.1f} {y(point[quantity]):.1f}' for point in of]
        out.append(f'<path d="M{"L".join(places)}" fill="none" stroke="{colour}"{dashes}/>')
        out += [f'<circle cx="{place.split()[0]}" cy="{place.split()[1]}" r="2" fill="{colour}"/>' for place in places]
    return out + ["</g>"], functions


def picture(module, variable, series):
    across = module not in ("det", "particle", "saddle", "hello")
    times, functions = panel(0, f"{module}: milliseconds", variable, "milliseconds", series, across)
    memory, _ = panel(WIDTH, f"{module}: MiB of the process, at most", variable, "MiB", series, across)
    legend = []
    for k, function in enumerate(functions):
        for threads, dashes in ((1, ""), (2, ' stroke-dasharray="5 3"')):
            x, y = LEFT + 170 * k, HEIGHT + 14 * threads
            legend.append(f'<path d="M{x} {y - 4}h24" stroke="{COLOURS[k % len(COLOURS)]}"{dashes}/>')
            plural = "thread" if threads == 1 else "threads"
            legend.append(f'<text x="{x + 30}" y="{y}">{function}, {threads} {plural}</text>')
    size = f'width="{2 * WIDTH}" height="{HEIGHT + 36}" viewBox="0 0 {2 * WIDTH} {HEIGHT + 36}"'
    style = 'font-family="sans-serif" font-size="11" fill="#222"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}><rect width="100%" height="100%" fill="#fff"/>'
    return "\n".join([head, *times, *memory, *legend, "</svg>"]) + "\n"


path = Path(sys.argv[1])
measured = json.loads(path.read_text())
for module, series in measured["series"].items():
    if series:
        (path.parent / f"{module}.svg").write_text(picture(module, measured["variables"][module], series))
