// Tables are sorted by a click on a heading, which is a button here; without scripts it is text.
addEventListener("DOMContentLoaded", () => {
  const UNITS = {
    ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12, d: 8.64e13, k: 1e3, M: 1e6,
  };
  const FIGURE = /^(-?\d+(?:\.\d+)?) ?(ns|us|ms|s|min|h|d|k|M|%|x\d*)?$/;

  // What a cell is sorted by: its figure, less than all where there is none, else its text.
  function key(cell) {
    const text = cell.textContent.trim(), found = FIGURE.exec(text);
    if (found) return found[1] * (UNITS[found[2]] || 1);
    return text === "-" ? -Infinity : text;
  }

  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b || 0;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b);
  }

  // Sums, in brackets, stay at the end.
  const isSum = (row) => row.cells[0].textContent.startsWith("(");

  function sort(table, heading) {
    const column = heading.cellIndex, rows = [...table.tBodies[0].rows];
    const before = heading.getAttribute("aria-sort");
    const isText = rows.some((row) => typeof key(row.cells[column]) === "string");
    const first = isText ? "ascending" : "descending", second = isText ? "descending" : "ascending";
    const order = before === first ? second : first, sign = order === "ascending" ? 1 : -1;
    table.querySelectorAll("[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", order);
    const keys = new Map(rows.map((row) => [row, key(row.cells[column])]));
    rows.sort((a, b) => isSum(a) - isSum(b) || sign * compare(keys.get(a), keys.get(b)));
    table.tBodies[0].append(...rows);
  }

  document.querySelectorAll("table.sortable").forEach((table) => {
    table.querySelectorAll("th").forEach((heading) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading));
      heading.append(button);
    });
  });
});
