const pen = document.createElement("canvas").getContext("2d");
const wide = words => { pen.font = "12px system-ui, sans-serif"; return pen.measureText(words).width; };
// 2.1 and .43, without zeros that say nothing
const short = value => share(value, value < 1 ? 2 : 1);
// the number and its unit stay on one line
const off = (row, table) => row.off === null ? "diverged" : `${short(row.off)}\u00a0${table.unit}`.trim();

// the points of a curve in the table's unit; a flat one is written once
const values = (window, drawn, count) => {
  const levels = (drawn.match(/../g)).map(pair => window.low + (window.high - window.low) * parseInt(pair, 16) / 255);
  return levels.length === 1 ? Array(count).fill(levels[0]) : levels;
};
// the smallest step of a list with which an axis has few enough ticks
const spaced = (low, high, steps, most) => {
  const step = steps.find(each => (high - low) / each <= most) || steps[steps.length - 1];
  const found = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + 1e-9; tick += step) found.push(Number(tick.toFixed(6)));
  return found;
};

// a table of a fortnight needs the whole width
part("curves").parentElement.style.flexBasis = "100%";
const drawCurves = (table, window, rows, words) => {
  const width = room("curves"), left = 40, right = width - 8, tall = 190, lines = [];
  let found = "", x = left, y = 12;
  for (const row of [{ name: [table.quantity, table.unit].filter(Boolean).join(", "), style: "stroke: var(--ink)" }, ...rows.filter(row => row.drawn)]) {
    if (x + 26 + wide(row.name) > right && x > left) { x = left; y += 18; }
    found += `<line x1="${x}" y1="${y - 4}" x2="${x + 20}" y2="${y - 4}" style="${row.style}; stroke-width: 2.5"/>` +
      text(x + 25, y, row.name, "start");
    x += 42 + wide(row.name);
  }
  const top = y + 16, bottom = top + tall, known = window.known;
  const all = Array.from({ length: window.count }, (_, i) => window.first + i * window.apart), last = all[window.count - 1];
  const across = hour => left + (right - left) * (hour - all[0]) / (last - all[0]);
  const up = value => bottom - tall * (value - window.low) / Math.max(window.high - window.low, 1e-9);
  for (const tick of spaced(window.low, window.high, [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50], 6))
    found += line(left, up(tick), right, up(tick), "grid") + text(left - 6, up(tick) + 4, minus(tick), "end");
  for (const tick of spaced(all[0], last, [1, 2, 3, 6, 12, 24, 48, 96, 168], width < 460 ? 5 : 9))
    found += line(across(tick), bottom, across(tick), bottom + 5, "axis") + text(across(tick), bottom + 18, minus(tick));
  found += line(left, bottom, right, bottom, "axis") + line(across(0), top, across(0), bottom, "axis");
  const path = (points, begin, style, thick) => `<path fill="none" style="${style}; stroke-width: ${thick}" d="M` +
    points.map((value, i) => `${across(all[begin + i]).toFixed(1)},${up(value).toFixed(1)}`).join("L") + '"/>';
  found += path(values(window, window.truth, window.count), 0, "stroke: var(--ink)", 2);
  for (const row of rows.filter(row => row.drawn))
    found += path(values(window, row.drawn, window.count - known), known, row.style, 2.2);
  found += text((left + right) / 2, bottom + 34, "hours from the last known value", "middle", "faint");
  paint("curves", width, bottom + 40, found, words);
};

const drawErrors = (table, rows, words) => {
  const width = room("errors"), left = Math.max(...rows.map(row => wide(row.name))) + 12, right = width - 64;
  const most = Math.max(...rows.map(row => row.off || 0), 1e-9), tall = 24;
  let found = line(left, 2, left, rows.length * tall + 2, "axis");
  rows.forEach((row, i) => {
    const y = i * tall + 4, side = (row.off || 0) / most * (right - left);
    found += text(left - 8, y + 14, row.name, "end") + rect(left, y, side, tall - 6, `style="fill: ${row.fill}"`);
    found += text(left + side + 6, y + 14, off(row, table), "start", "strong");
  });
  paint("errors", width, rows.length * tall + 6, found, words);
};

// what is drawn and said, row by row: the kinds of the chosen model, then the baselines
const rowsOf = (window, model, beside) => [
  ...DATA.kinds.map((name, i) => ({ name, drawn: window.said[model + 1][i], off: window.off[model + 1][i],
    style: `stroke: var(--c${i})`, fill: `var(--c${i})` })),
  ...DATA.baselines.map((name, i) => ({ name, drawn: i === beside ? window.said[0][i] : null, off: window.off[0][i],
    style: "stroke: var(--muted); stroke-dasharray: 6 3", fill: i === beside ? "var(--muted)" : "var(--line)" })),
];

const draw = () => {
  const table = DATA.tables[chosen("data")], horizon = chosen("horizon"), start = chosen("start");
  const model = chosen("model"), beside = chosen("baseline"), window = table.windows[horizon][start];
  tell("horizon", table.horizons[horizon]);
  tell("start", table.starts[start]);
  const rows = rowsOf(window, model, beside);
  const words = `${table.name}, ${table.horizons[horizon]} from ${table.starts[start]}. Off by, on average: ` +
    `${DATA.models[model]} ${rows.slice(0, DATA.kinds.length).map(row => `with ${row.name} ${off(row, table)}`).join(", ")}; ` +
    `${rows.slice(DATA.kinds.length).map(row => `${row.name} ${off(row, table)}`).join(", ")}.`;
  drawCurves(table, window, rows, words);
  drawErrors(table, rows, words);
  say(words);
};

// the curve that is drawn, in the table's unit; a test compares it with what Python was given
root.curve = (data, horizon, start, row, place) => {
  const window = DATA.tables[data].windows[horizon][start];
  return values(window, window.said[row][place], window.count - window.known);
};
start(draw);
