const [XNAME, YNAME, VALUE] = DATA.words, COLUMNS = DATA.x.length, ROWS = DATA.y.length;
const joined = names => names.length < 3 ? names.join(" and ") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const drawMap = (at, words) => {
  const width = Math.min(room("map"), 330), left = 52, side = (width - left - 4) / COLUMNS, tall = Math.min(side, 44);
  let found = "";
  const row = j => 4 + (ROWS - 1 - j) * tall; // more is up
  for (let j = 0; j < ROWS; j++) for (let i = 0; i < COLUMNS; i++) {
    const best = DATA.best[j][i], x = left + i * side;
    best.forEach((name, k) => {
      found += rect(x + k * side / best.length, row(j), side / best.length, tall,
        `style="fill: var(--c${name})" fill-opacity="0.28" data-place="${i} ${j}"`);
    });
    found += text(x + side / 2, row(j) + tall / 2 + 4, best.map(name => DATA.letters[name]).join(" "), "middle", "strong");
  }
  found += rect(left + at[0] * side, row(at[1]), side, tall, 'class="here"');
  DATA.x.forEach((words, i) => { found += text(left + (i + 0.5) * side, ROWS * tall + 20, words); });
  DATA.y.forEach((words, j) => { found += text(left - 6, row(j) + tall / 2 + 4, words, "end"); });
  found += text(left + COLUMNS * side / 2, ROWS * tall + 38, XNAME, "middle", "faint");
  paint("map", width, ROWS * tall + 44, found, words);
};

const draw = () => {
  const at = [chosen("x"), chosen("y")], place = `${XNAME} ${DATA.x[at[0]]}, ${YNAME} ${DATA.y[at[1]]}`;
  tell("x", DATA.x[at[0]]);
  tell("y", DATA.y[at[1]]);
  const runs = DATA.runs[at[1]][at[0]], best = DATA.best[at[1]][at[0]];
  const rows = DATA.names.map((name, i) => {
    const values = runs[i].filter(value => value !== null), lost = runs[i].length - values.length;
    return { name: lost ? `${name} (${lost} diverged)` : name, values, colour: `var(--c${i})` };
  });
  const listed = rows.filter(row => row.values.length).map(row => `${row.name} ${share(mean(row.values), 3)}`).join(", ");
  const tied = best.length > 1 ? "; the seeds cannot tell these apart" : "";
  const words = `${place}: ${joined(best.map(i => DATA.names[i]))} ${best.length > 1 ? "are" : "is"} best${tied}. ` +
    `${VALUE[0].toUpperCase()}${VALUE.slice(1)}, mean over runs: ${listed}.`;
  drawMap(at, `Map of the best at ${COLUMNS} by ${ROWS} places; chosen: ${place}.`);
  dotRows("rows", rows, { ...DATA.axis, log: true, name: VALUE, places: 3 }, words);
  say(words);
};

// who has a pointer may point at a place of the map; the sliders do the same
part("map").addEventListener("click", event => {
  const place = event.target.dataset.place;
  if (!place) return;
  [part("x").value, part("y").value] = place.split(" ");
  draw();
});
start(draw);
