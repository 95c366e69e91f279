"""Plots of what `compare --scaling` has measured: a folder with a picture for each module."""

import json
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the back end)

path = Path(sys.argv[1])
measured = json.loads(path.read_text())
for module, series in measured["series"].items():
    figure, (times, memory) = plt.subplots(1, 2, figsize=(9, 3.6))
    for label, points in series.items():
        for axes, quantity in ((times, "milliseconds"), (memory, "MiB")):
            x, y = [point["at"] for point in points], [point[quantity] for point in points]
            style = "-" if label.endswith(", 1") else "--"
            axes.plot(x, y, style, marker="o", markersize=3, label=label + (" thread" if label.endswith(", 1") else " threads"))
            positive = min(x) > 0
            axes.set(xlabel=measured["variables"][module], title=f"{module}: {quantity}", yscale="log")
            axes.set_xscale("log" if positive and module != "det" else "linear")
    times.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path.parent / f"{module}.svg", metadata={"Date": None})
    plt.close(figure)
