const root = document.getElementById(ID);
const part = role => root.querySelector(`[data-role="${role}"]`);
// what a reader has set: the number of a slider, the place of a choice, whether a switch is on
const chosen = role => {
  const found = part(role);
  if (found.type === "checkbox") return found.checked;
  return Number(found.tagName === "FIELDSET" ? found.querySelector(":checked").value : found.value);
};
const minus = words => String(words).replace(/-/g, "−");
// .069 and 1.20: as the pages write shares
const share = (value, places = 2) => minus(value.toFixed(places)).replace(/^(−?)0\./, "$1.");
const escaped = words => String(words).replace(/&/g, "&amp;").replace(/</g, "&lt;");

// a slider's value in words, which a screen reader says instead of its bare number
const tell = (role, words) => {
  part(role).setAttribute("aria-valuetext", words);
  part(role).closest("label").querySelector(".value").textContent = words;
};
// the sentence changes with the picture; the one live region, which cannot be seen, speaks when a slider has come to rest
let waiting;
const say = words => {
  const spoken = part("spoken");
  part("words").textContent = words;
  clearTimeout(waiting);
  if (spoken.textContent) waiting = setTimeout(() => { spoken.textContent = words; }, 300);
  else spoken.textContent = words;
};

// drawings have as many units as pixels, so that letters keep their size on a phone
const room = role => Math.max(Math.round(part(role).parentElement.clientWidth), 240);
const paint = (role, width, height, inner, words) => {
  part(role).setAttribute("viewBox", `0 0 ${width} ${height}`);
  part(role).setAttribute("aria-label", words);
  part(role).style.maxWidth = `${width}px`;
  part(role).innerHTML = inner;
};
const text = (x, y, words, anchor = "middle", look = "") =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" class="${look}">${escaped(words)}</text>`;
const line = (x1, y1, x2, y2, look) =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}" class="${look}"/>`;
const rect = (x, y, width, height, more) =>
  `<rect x="${x.toFixed(2)}" y="${y.toFixed(2)}" width="${width.toFixed(2)}" height="${height.toFixed(2)}" ${more}/>`;

const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;

// a row a level: every run a point, their mean a bar and a number; axis: low, high, ticks, log, name
const dotRows = (role, rows, axis, words) => {
  const width = room(role), narrow = width < 460, tall = narrow ? 44 : 32;
  const left = narrow ? 8 : 160, right = width - 50, end = rows.length * tall + 4;
  const scale = axis.log ? Math.log : value => value;
  const along = value => (scale(value) - scale(axis.low)) / (scale(axis.high) - scale(axis.low));
  const x = value => left + Math.min(Math.max(along(value), 0), 1) * (right - left);
  let found = "";
  for (const tick of axis.ticks)
    found += line(x(tick), 2, x(tick), end, "grid") + text(x(tick), end + 15, share(tick, 3).replace(/\.?0+$/, "") || "0");
  rows.forEach((row, i) => {
    const y = i * tall + (narrow ? 30 : 18);
    found += narrow ? text(left, y - 14, row.name, "start") : text(left - 12, y + 4, row.name, "end");
    if (!row.values.length) return;
    for (const value of row.values)
      found += `<circle cx="${x(value).toFixed(1)}" cy="${y}" r="4.5" class="point" style="fill: ${row.colour}"/>`;
    const middle = mean(row.values);
    found += line(x(middle), y - 9, x(middle), y + 9, "mark");
    found += text(width - 2, y + 4, share(middle, axis.places), "end", "strong");
  });
  paint(role, width, end + 38, found + text((left + right) / 2, end + 33, axis.name, "middle", "faint"), words);
};

// draws now, after every move and when the page changes its width
const start = draw => {
  root.hidden = false;
  let width = root.clientWidth;
  root.addEventListener("input", draw);
  new ResizeObserver(() => {
    if (root.clientWidth === width) return;
    width = root.clientWidth;
    requestAnimationFrame(draw); // not within the observer, whose own change it would be
  }).observe(root);
  draw();
};
