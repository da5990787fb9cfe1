const draw = () => {
  const at = DATA.choices.map(chosen), named = DATA.choices.map((_, i) => DATA.levels[i][at[i]]);
  const measure = at.at(-1), better = DATA.better[measure], [least, most] = DATA.limits[measure], N = at.length;
  const rows = DATA.rows.filter(row => at.every((place, i) => row[i] === place)).map(row => row.slice(N));
  const title = DATA.choices.reduce((words, name, i) => words.replace(`{${name}}`, named[i]), DATA.words);
  const width = room("rows"), narrow = width < 620, tall = narrow ? 58 : 36, top = 26;
  const left = narrow ? 8 : 190, right = width - (narrow ? 8 : 190), end = top + rows.length * tall + 2;
  const x = value => left + (value - least) / (most - least) * (right - left);
  let found = narrow ? "" : line(x(0), top, x(0), end, "axis");
  // two ends and nothing: the rest is written beside the rows
  const ticks = [least, 0, most].map(value => Math.trunc(value * 1000) / 1000);
  for (const tick of ticks) if (tick === 0 || Math.abs(x(tick) - x(0)) > 44)
    found += line(x(tick), end - 4, x(tick), end + 2, "axis") +
      text(x(tick), end + 16, `${tick > 0 ? "+" : ""}${share(tick, 3).replace(/^\.?0+$/, "0")}`,
        narrow && tick ? (tick < 0 ? "start" : "end") : "middle");
  const sides = better > 0 ? ["← worse", "better →"] : ["← better", "worse →"];
  found += text(left, 14, sides[0], "start", "faint") + text(right, 14, sides[1], "end", "faint");
  const said = rows.map(([name, estimate, low, high, words], i) => {
    const y = top + i * tall + (narrow ? 40 : 20), open = low === null || high === null || (low <= 0 && high >= 0);
    const verdict = open ? "open" : (low > 0 ? 1 : -1) === better ? "better" : "worse";
    found += narrow ? text(left, y - 20, name, "start") + text(right, y - 20, words, "end")
      : text(left - 12, y + 4, name, "end") + text(width, y + 4, words, "end");
    const ends = [low === null ? least : low, high === null ? most : high].map(x);
    if (narrow) found += line(x(0), y - 12, x(0), y + 12, "axis"); // beside the words, not through them
    found += line(ends[0], y, ends[1], y, "mark") +
      `<circle cx="${x(estimate).toFixed(1)}" cy="${y}" r="5" stroke-width="2" ` +
      `style="stroke: var(--ink); fill: var(--${open ? "ground" : "ink"})"/>`;
    return `${name} ${words}, ${verdict}`;
  });
  const words = `${title} ${said.join("; ")}.`;
  paint("rows", width, end + 24, found, words);
  say(words);
};
start(draw);
