const pen = document.createElement("canvas").getContext("2d");
const wide = words => { pen.font = "12px system-ui, sans-serif"; return pen.measureText(words).width; };
// milliseconds from the R mark
const when = place => DATA.first + place * DATA.apart;
const values = drawn => drawn.match(/.../g).map(digits => 2 * parseInt(digits, 16) / DATA.levels - 1);

// both fit beside each other on a desk
part("course").parentElement.style.flex = "8 1 22rem";
part("bars").parentElement.style.flex = "5 1 14rem";

const BAND = "fill: var(--accent); fill-opacity: 0.22", OWN = "stroke: var(--accent); stroke-width: 2.4";
const SAME = "stroke: var(--ink); stroke-width: 1.8; stroke-dasharray: 6 4";
const OTHER = ["stroke: var(--muted); stroke-width: 1", "stroke: var(--muted); stroke-width: 1.4; stroke-dasharray: 1 3"];

// the kinds that were learnt from, the chosen one first
const learntRows = kind => {
  const others = DATA.kinds.map((_, i) => i).filter(i => i !== kind && DATA.learnt[i]);
  return [kind, ...others].map((i, place) => ({ name: `${DATA.kinds[i][1]}, learnt from`, points: values(DATA.learnt[i]),
    style: place ? OTHER[(place - 1) % OTHER.length] : SAME }));
};

const drawCourse = (found, learnt, words) => {
  const width = room("course"), left = 26, right = width - 8, tall = 190;
  let inner = "", at = left, y = 12;
  for (const { name, style } of [{ name: "this patient", style: OWN }, ...learnt]) {
    if (at + 26 + wide(name) > right && at > left) { at = left; y += 18; }
    if (style === OWN) inner += rect(at, y - 9, 20, 10, `style="${BAND}"`);
    inner += `<line x1="${at}" y1="${y - 4}" x2="${at + 20}" y2="${y - 4}" style="${style}"/>` + text(at + 25, y, name, "start");
    at += 42 + wide(name);
  }
  const top = y + 18, bottom = top + tall, last = when(DATA.count - 1);
  const across = time => left + (right - left) * (time - DATA.first) / (last - DATA.first);
  const up = value => bottom - tall * (value + 1) / 2;
  for (const tick of [-1, 0, 1]) inner += line(left, up(tick), right, up(tick), "grid") + text(left - 6, up(tick) + 4, minus(tick), "end");
  const step = width < 460 ? 200 : 100;
  for (let tick = Math.ceil(DATA.first / step) * step; tick <= last; tick += step)
    inner += line(across(tick), bottom, across(tick), bottom + 5, "axis") + text(across(tick), bottom + 18, minus(tick));
  inner += line(left, bottom, right, bottom, "axis") + line(across(0), top, across(0), bottom, "axis");
  const points = each => each.map((value, i) => `${across(when(i)).toFixed(1)},${up(value).toFixed(1)}`);
  const path = (each, style) => `<path fill="none" style="${style}" d="M${points(each).join("L")}"/>`;
  for (const each of learnt.slice(1)) inner += path(each.points, each.style);
  const band = [...points(values(found.low)), ...points(values(found.high)).reverse()];
  inner += `<path style="${BAND}" d="M${band.join("L")}Z"/>` + path(values(found.mean), OWN) + path(learnt[0].points, SAME);
  inner += text((left + right) / 2, bottom + 34, "milliseconds from the R mark", "middle", "faint");
  paint("course", width, bottom + 40, inner, words);
};

const drawBars = (found, words) => {
  const width = room("bars"), left = Math.max(...DATA.models.map(wide)) + 12, right = width - 38, tall = 26, top = 4;
  const end = top + DATA.models.length * tall;
  let inner = "";
  for (const tick of [0, 0.5, 1]) {
    const x = left + tick * (right - left);
    inner += line(x, top, x, end, tick ? "grid" : "axis") + text(x, end + 15, tick % 1 ? share(tick, 1) : tick);
  }
  found.shares.forEach((value, i) => {
    const y = top + i * tall, long = value * (right - left);
    inner += text(left - 8, y + 17, DATA.models[i], "end") +
      rect(left, y + 4, long, tall - 8, `style="fill: var(--c${i})"`) +
      text(left + long + 5, y + 17, share(value), "start", "strong");
  });
  paint("bars", width, end + 22, inner, words);
};

// where two curves are farthest from each other, in words
const apart = (one, two) => {
  const off = one.map((value, i) => Math.abs(value - two[i])), far = off.indexOf(Math.max(...off));
  return `farthest from it at ${minus(Math.round(when(far)))} milliseconds, by ${share(off[far])}`;
};

// a patient may not have the kind that was chosen last; who has it shows it again
let wanted = chosen("kind");
root.addEventListener("input", event => { if (event.target.type === "radio") wanted = chosen("kind"); });

const draw = () => {
  const record = chosen("record"), kinds = DATA.found[record];
  const kind = kinds[wanted] ? wanted : kinds.findIndex(each => each), found = kinds[kind];
  part("kind").querySelectorAll("input").forEach((button, i) => {
    button.disabled = !kinds[i];
    button.checked = i === kind;
  });
  const patient = DATA.patients[record], learnt = learntRows(kind);
  const count = `${found.beats.toLocaleString("en")} ${DATA.kinds[kind][1]} beat${found.beats === 1 ? "" : "s"}`;
  const shares = DATA.models.map((name, i) => `${name} ${share(found.shares[i])}`).join(", ");
  drawCourse(found, learnt, `Mean course of ${count} of ${patient}, beside the mean of those that were learnt from: ` +
    `${apart(values(found.mean), learnt[0].points)}.`);
  drawBars(found, `Share of ${count} that is recognised: ${shares}.`);
  say(`${patient[0].toUpperCase()}${patient.slice(1)}: ${count} in the test. Recognised, mean over runs: ${shares}.`);
};

root.course = (record, kind, what) => values(what === "learnt" ? DATA.learnt[kind] : DATA.found[record][kind][what]);
start(draw);
