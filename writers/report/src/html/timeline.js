// Draws the timeline: a track for each thread, in which a column's colours are the shares of its time.
addEventListener("DOMContentLoaded", () => {
  const section = document.getElementById("timeline");
  if (!section) return;
  const data = JSON.parse(document.getElementById("timeline-data").textContent);
  const canvas = section.querySelector("canvas"), words = section.querySelector("output");
  section.querySelectorAll("[hidden]").forEach((element) => { element.hidden = false; });

  const GROUPS = data.groups.length, END = Math.min(data.bins, Math.max(1, data.wall_ns / data.bin_ns));
  const NAMED = data.tracks.length <= 32, NAME = NAMED ? 16 : 0, BAR = NAMED ? 16 : 8, GAP = NAMED ? 6 : 2;
  const TRACK = NAME + BAR + GAP, AXIS = 18, LEAST = 4;
  // Tracks of findings and of the critical path are above those of threads.
  const MARK = 16 + 16 + 6, TOP = data.marks.length * MARK, HUES = ["#7c3aed", "#7c8798", "#a3adba"];
  // Nanoseconds of each group in each bin.
  const times = data.tracks.map((track) => {
    const sums = new Float64Array(data.bins * GROUPS);
    for (const [state, runs] of Object.entries(track.times)) {
      for (const [first, count, ns] of runs) {
        for (let bin = first; bin < first + count; bin++) sums[bin * GROUPS + data.states[state]] += ns;
      }
    }
    return sums;
  });
  let from = 0, to = END, selected = null;

  const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
  function duration(ns) {
    const [size, unit] = UNITS.find(([size]) => ns >= size) || UNITS[3];
    return `${+(ns / size).toPrecision(4)} ${unit}`;
  }

  // A track's time by group between two bins, which need not be whole.
  function shares(track, begin, end) {
    const sums = new Array(GROUPS).fill(0);
    for (let bin = Math.floor(begin); bin < Math.min(end, data.bins); bin++) {
      const part = Math.min(bin + 1, end) - Math.max(bin, begin);
      for (let group = 0; group < GROUPS; group++) sums[group] += part * times[track][bin * GROUPS + group];
    }
    return sums;
  }

  function drawMarks(pen, ink, width) {
    const x = (ns) => (ns / data.bin_ns - from) / (to - from) * width;
    data.marks.forEach((track, row) => {
      const top = row * MARK + 16;
      pen.fillStyle = ink;
      pen.fillText(track.name, 0, top - 4, width);
      track.slices.forEach((mark, at) => {
        const left = Math.max(0, x(mark.from_ns)), right = Math.min(width, x(mark.to_ns));
        if (right < 0 || left > width || right < left) return;
        pen.fillStyle = mark.number ? HUES[0] : HUES[1 + at % 2];
        pen.fillRect(left, top, Math.max(mark.number ? 3 : 0.5, right - left), 16);
        if (mark.number) {
          pen.fillStyle = ink;
          pen.fillText(mark.number, Math.min(right, left + 3) + 3, top + 12);
        }
      });
    });
  }

  // The mark at a point: the shortest one, as longer ones may lie below it.
  function markAt(x, y, width) {
    const track = data.marks[Math.floor(y / MARK)];
    const ns = (from + (to - from) * x / width) * data.bin_ns, near = (to - from) * data.bin_ns * 3 / width;
    const there = track.slices.filter((mark) => mark.from_ns - near <= ns && ns <= mark.to_ns + near);
    return there.sort((one, other) => (one.to_ns - one.from_ns) - (other.to_ns - other.from_ns))[0];
  }

  function showMark(mark) {
    const begin = mark.from_ns / data.bin_ns, end = mark.to_ns / data.bin_ns, around = (end - begin) / 4;
    show(begin - around, end + around);
    words.textContent = `${mark.title}: ${duration(mark.from_ns)} to ${duration(mark.to_ns)}`;
  }

  function draw() {
    const width = canvas.clientWidth, height = TOP + data.tracks.length * TRACK + AXIS;
    canvas.style.height = `${height}px`;
    canvas.width = width * devicePixelRatio;
    canvas.height = height * devicePixelRatio;
    const pen = canvas.getContext("2d"), ink = getComputedStyle(canvas).color;
    pen.scale(devicePixelRatio, devicePixelRatio);
    pen.font = "13px system-ui, sans-serif";
    drawMarks(pen, ink, width);
    data.tracks.forEach((track, at) => {
      const top = TOP + at * TRACK + NAME;
      for (let x = 0; x < width; x++) {
        const begin = from + (to - from) * x / width, end = from + (to - from) * (x + 1) / width;
        const sums = shares(at, begin, end), all = (end - begin) * data.bin_ns * track.threads.length;
        let y = top + BAR;
        sums.forEach((ns, group) => {
          const high = BAR * Math.min(1, ns / all);
          pen.fillStyle = data.groups[group][1];
          if (high > 0) pen.fillRect(x, y - high, 1, high);
          y -= high;
        });
      }
      pen.fillStyle = ink;
      if (NAMED) pen.fillText(track.name, 0, top - 4, width);
    });
    pen.fillStyle = ink;
    [["left", 0, from], ["center", width / 2, (from + to) / 2], ["right", width, to]].forEach(([align, x, bin]) => {
      pen.textAlign = align;
      pen.fillText(duration(bin * data.bin_ns), x, height - 5);
    });
    if (selected) {
      pen.globalAlpha = 0.2;
      pen.fillRect(Math.min(...selected), 0, Math.abs(selected[1] - selected[0]), height - AXIS);
    }
  }

  // Shows from one bin to another, as far as there are any and not fewer than a few.
  function show(begin, end) {
    const length = Math.min(END, Math.max(Math.min(LEAST, END), end - begin));
    from = Math.max(0, Math.min(begin, END - length));
    to = from + length;
    draw();
    words.textContent = `${duration(from * data.bin_ns)} to ${duration(to * data.bin_ns)}`;
  }

  function zoom(factor, at = 0.5) {
    const length = (to - from) * factor, middle = from + (to - from) * at;
    show(middle - length * at, middle + length * (1 - at));
  }

  function point(event) {
    const box = canvas.getBoundingClientRect();
    return [Math.max(0, Math.min(event.clientX - box.left, box.width)), event.clientY - box.top, box.width];
  }

  function describe([x, y, width]) {
    if (y < TOP) {
      const mark = markAt(x, y, width);
      if (mark) words.textContent = `${mark.title}: ${duration(mark.from_ns)} to ${duration(mark.to_ns)}`;
      return;
    }
    const at = Math.floor((y - TOP) / TRACK), track = data.tracks[at];
    if (!track) return;
    const bin = Math.floor(from + (to - from) * x / width), sums = shares(at, bin, bin + 1);
    const all = sums.reduce((sum, ns) => sum + ns, 0);
    const said = data.groups.map(([name], group) => [name, sums[group]]).filter(([, ns]) => ns > 0);
    const parts = said.map(([name, ns]) => `${name} ${Math.round(100 * ns / all)}%`).join(", ");
    words.textContent = `${track.name}, ${duration(bin * data.bin_ns)}: ${parts || "not there"}`;
  }

  canvas.addEventListener("wheel", (event) => {
    // All of it is shown: the page scrolls.
    if (event.deltaY > 0 && to - from >= END) return;
    event.preventDefault();
    const [x, , width] = point(event);
    zoom(event.deltaY < 0 ? 0.8 : 1.25, x / width);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    selected = [point(event)[0], point(event)[0]];
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (selected) {
      selected[1] = point(event)[0];
      draw();
    }
    describe(point(event));
  });
  canvas.addEventListener("pointerup", (event) => {
    const [begin, end] = selected ? selected.sort((a, b) => a - b) : [0, 0], width = point(event)[2];
    selected = null;
    const bin = (x) => from + (to - from) * x / width;
    if (end - begin > 3) show(bin(begin), bin(end)); else draw();
  });
  canvas.addEventListener("pointercancel", () => { selected = null; draw(); });
  canvas.addEventListener("dblclick", () => show(0, END));
  canvas.addEventListener("keydown", (event) => {
    const step = (to - from) / 8;
    const keys = {
      "+": () => zoom(0.5), "-": () => zoom(2), Escape: () => show(0, END),
      ArrowLeft: () => show(from - step, to - step), ArrowRight: () => show(from + step, to + step),
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  section.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
    if (button.dataset.zoom === "all") show(0, END); else zoom(+button.dataset.zoom);
  }));
  document.querySelectorAll("[data-finding]").forEach((link) => {
    const marks = data.marks.flatMap((track) => track.slices);
    const mark = marks.find((mark) => mark.number === +link.dataset.finding);
    if (!mark) return;
    link.hidden = false;
    link.addEventListener("click", () => showMark(mark));
  });
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
});
