"""Executes the code of a notebook, cell by cell in one namespace as its kernel would: NOTEBOOK FOLDER. Draws each figure
into the folder, and prints as JSON what is in each (lengths of bars, points, pixels), and what the notebook shows under each cell."""
import ast
import json
import os
import sys

os.environ["MPLBACKEND"] = "Agg"


def executed(source, name, namespace):
    """Executes a cell; returns the text of its last expression, as HTML if it has any, or None."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), namespace)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), name, "eval"), namespace)
    as_html = getattr(value, "_repr_html_", None)
    return as_html() if as_html else repr(value)


def drawn(pyplot, folder):
    for number in pyplot.get_fignums():
        figure = pyplot.figure(number)
        figure.savefig(f"{folder}/{number}.png")
        axes = figure.axes[0]
        yield {
            "bars": [bar.get_width() for bar in axes.patches],
            "points": [float(at[1]) for points in axes.collections for at in points.get_offsets()],
            "pixels": [int(image.get_array().count()) for image in axes.images],
        }


notebook, folder = sys.argv[1:]
with open(notebook) as file:
    cells = json.load(file)["cells"]
namespace = {"__name__": "__main__"}
shown = []
for number, cell in enumerate(cells):
    if cell["cell_type"] == "code":
        shown.append(executed("".join(cell["source"]), f"cell {number}", namespace))
pyplot = sys.modules.get("matplotlib.pyplot")
print(json.dumps({"figures": list(drawn(pyplot, folder)) if pyplot else [], "shown": shown}))
