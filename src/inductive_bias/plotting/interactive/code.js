// letters have one width; colours have one scale for all functions and networks, so that what looks at nothing is white
const LETTER = 7.9, ROW = 20, HANG = 4, SEEN = 0.01;
const cut = (token, room) => token.length > room ? token.slice(0, Math.max(room - 1, 1)) + "…" : token;
const probability = odds => 1 / (1 + Math.exp(-odds));

// where every token stands: columns of the source, wrapped with a hanging indent where the picture is narrow
const placed = (tokens, columns) => {
  const first = {}, found = [];
  let row = -1, last = -1, shift = 0;
  for (const [line, column, token] of tokens) {
    if (!(line in first)) first[line] = column;
    if (line !== last) { row += 1; shift = 0; last = line; }
    let x = column - shift;
    if (x + token.length > columns && x > first[line] + HANG) {
      row += 1;
      x = Math.min(first[line], 8) + HANG;
      shift = column - x;
    }
    found.push([x, row]);
  }
  return found;
};

const draw = () => {
  const model = chosen("model"), place = chosen("function"), marks = chosen("bug"), { kind, tokens, odds, worth } = DATA.functions[place];
  const width = room("code"), columns = Math.floor((width - 8) / LETTER), places = placed(tokens, columns);
  const values = worth[model];
  let found = "";
  tokens.forEach(([, , token, altered], i) => {
    const [column, row] = places[i], said = cut(token, columns - column);
    const x = 4 + column * LETTER, y = 2 + row * ROW, side = said.length * LETTER;
    const strength = Math.min(Math.abs(values[i]) / DATA.full, 1);
    found += rect(x, y, side, ROW - 2, `rx="2" style="fill: var(--c${values[i] > 0 ? 0 : 1})" fill-opacity="${(0.55 * strength).toFixed(3)}"`);
    if (marks && altered) found += rect(x - 1, y, side + 2, ROW - 2, 'rx="2" class="here"');
    found += `<text x="${x.toFixed(1)}" y="${y + 14}" textLength="${side.toFixed(1)}" lengthAdjust="spacingAndGlyphs" ` +
      `style="font: 13px ui-monospace, monospace">${escaped(said)}</text>`;
  });
  const order = values.map((value, i) => [Math.abs(value), i]).sort((a, b) => b[0] - a[0]);
  const foremost = order.slice(0, 3).filter(([size]) => size >= SEEN).map(([, i]) => `“${tokens[i][2]}” (${share(values[i])})`);
  const words = `${DATA.models[model]}, ${DATA.names[place]} (${kind}): “${DATA.answers[1]}” with probability ` +
    `${share(probability(odds[model]))}. ` +
    (foremost.length ? `Worth most: ${foremost.join(", ")}.` : `No token is worth ${share(SEEN)}.`);
  paint("code", width, 6 + (1 + Math.max(...places.map(([, row]) => row))) * ROW, found, words);
  say(words);
};

root.placed = placed;
start(draw);
