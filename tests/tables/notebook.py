"""Executes the code of a notebook, cell by cell in one namespace as its kernel would: NOTEBOOK FOLDER. Draws each figure
into the folder, and prints what is in each: lengths of bars, points, pixels."""
import json
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot

notebook, folder = sys.argv[1:]
with open(notebook) as file:
    cells = json.load(file)["cells"]
namespace = {"__name__": "__main__"}
for number, cell in enumerate(cells):
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), namespace)

figures = []
for number in matplotlib.pyplot.get_fignums():
    figure = matplotlib.pyplot.figure(number)
    figure.savefig(f"{folder}/{number}.png")
    axes = figure.axes[0]
    figures.append(
        {
            "bars": [bar.get_width() for bar in axes.patches],
            "points": [float(at[1]) for points in axes.collections for at in points.get_offsets()],
            "pixels": [int(image.get_array().count()) for image in axes.images],
        }
    )
print(json.dumps(figures))
