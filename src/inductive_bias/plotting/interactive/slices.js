// from here on white can be read better than black on as much of the full colour, and at night black better than white
const BY_DAY = 0.69, BY_NIGHT = 0.51;

const split = name => { // a long name on two lines
  const words = name.split(" "), half = Math.ceil(words.length / 2);
  return words.length > 1 ? [words.slice(0, half).join(" "), words.slice(half).join(" ")] : [name];
};

const draw = () => {
  const step = chosen("step"), measure = part("measure") ? chosen("measure") : 0, table = DATA.values[measure][step];
  tell("step", DATA.steps[step]);
  const width = room("map"), left = 72, side = (width - left) / DATA.columns.length, tall = 23, slanted = side < 74;
  const head = slanted ? 118 : 36;
  let y = head, found = "";
  DATA.columns.forEach((name, j) => {
    const x = left + (j + 0.5) * side;
    if (slanted) found += `<g transform="rotate(-60 ${x} ${head - 6})">${text(x, head - 6, name, "start")}</g>`;
    else split(name).forEach((words, k, all) => { found += text(x, head - 8 - 14 * (all.length - 1 - k), words); });
  });
  table.forEach((row, i) => {
    if (DATA.groups[i] && DATA.groups[i] !== DATA.groups[i - 1]) {
      found += text(0, y + 15, DATA.groups[i], "start", "faint strong");
      y += 21;
    }
    found += text(left - 6, y + 16, DATA.rows[i], "end");
    row.forEach((value, j) => {
      const x = left + j * side;
      found += rect(x + 0.5, y + 0.5, side - 1, tall - 1, value === null ? 'fill="none" class="grid"'
        : `style="fill: var(--full)" fill-opacity="${value.toFixed(3)}"`);
      if (value !== null) found += text(x + side / 2, y + 16, value < 0.005 ? "0" : share(value).replace(".00", ""), "middle",
        `cell${value >= BY_DAY ? " dark-by-day" : ""}${value >= BY_NIGHT ? " light-by-night" : ""}`);
    });
    y += tall;
  });
  const held = table.filter(row => row.some(value => value !== null)).length;
  const counts = DATA.columns.map((name, j) => [name, table.filter(row => row[j] !== null && row[j] >= DATA.reached).length]);
  const listed = counts.map(([name, count]) => `${name} ${count}`).join("; ");
  const words = `${DATA.steps[step]}. Of ${held} ${DATA.words}, so many have at least ${share(DATA.reached)} of ` +
    `${DATA.measures[measure]}: ${listed}.`;
  paint("map", width, y + 4, found, words);
  say(words);
};
start(draw);
