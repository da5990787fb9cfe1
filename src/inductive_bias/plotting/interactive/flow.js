const WORDS = DATA.words, KINDS = [["rnn", "RNN"], ["attention", "Attention"], ["rem", "REM"]];

// the same weights as inductive_bias.plotting.interactive.flow.flow_weights; a test compares the two
const weights = (kind, step, decay) => {
  if (kind !== "attention")
    return WORDS.map((_, i) => i > step ? 0 : i === step ? (kind === "rnn" ? 1 : 0) : decay ** (step - i));
  const query = DATA.meanings[step][1];
  const scores = DATA.meanings.map(([key], i) => i > step ? -Infinity : key.reduce((sum, part, j) => sum + part * query[j], 0));
  const most = Math.max(...scores), grown = scores.map(score => Math.exp(score - most));
  const total = grown.reduce((sum, value) => sum + value, 0);
  return grown.map(value => value / total);
};

const HIGH = 152, TOP = 44, LOW = 112;
const circle = (x, y, more) => `<circle cx="${x.toFixed(1)}" cy="${y}" r="11" ${more}/>`;
const arrow = (x1, y1, x2, y2, weight, marked) => {
  const long = Math.hypot(x2 - x1, y2 - y1), cut = 13 / long, [dx, dy] = [(x2 - x1) * cut, (y2 - y1) * cut];
  const look = `style="stroke: var(--${marked ? "accent" : "muted"}); stroke-width: ${(1 + 5 * weight).toFixed(2)}; ` +
    `stroke-opacity: ${marked ? 1 : 0.45}"`;
  return `<line x1="${(x1 + dx).toFixed(1)}" y1="${(y1 + dy).toFixed(1)}" x2="${(x2 - dx).toFixed(1)}" y2="${(y2 - dy).toFixed(1)}" ${look}/>`;
};
const hollow = 'fill="none" class="axis"';
const filled = share => `style="fill: var(--accent); stroke: var(--muted)" fill-opacity="${Math.max(share, 0).toFixed(3)}"`;

const band = (kind, name, top, width, step, followed, decay) => {
  const side = (width - 20) / WORDS.length, x = i => 10 + (i + 0.5) * side, found = weights(kind, step, decay);
  const high = top + TOP, low = top + LOW;
  let drawn = text(4, top + 15, name, "start", "strong");
  if (kind === "rnn") {
    // all inputs enter their own state; from there the only way leads through every state between
    for (let i = 0; i <= step; i++) {
      drawn += arrow(x(i), low, x(i), high, i === followed ? 1 : 0.2, i === followed);
      if (i < step) drawn += arrow(x(i), high, x(i + 1), high, i >= followed ? decay ** (i + 1 - followed) : 0.2, i >= followed && followed <= step);
    }
  } else for (let i = 0; i <= step; i++)
    if (i !== followed && found[i] > 0) drawn += arrow(x(i), low, x(step), high, found[i], false);
  if (kind !== "rnn" && followed <= step && found[followed] > 0)
    drawn += arrow(x(followed), low, x(step), high, found[followed], true);
  WORDS.forEach((word, i) => {
    const reached = kind === "rnn" ? i >= followed && i <= step : i === step;
    const share = kind === "rnn" ? decay ** (i - followed) : found[followed];
    drawn += circle(x(i), high, reached && followed <= step ? filled(share) : hollow);
    drawn += circle(x(i), low, i === followed ? filled(1) : hollow);
    drawn += text(x(i), low + 28, word, "middle", i === followed ? "word strong" : "word");
  });
  const said = followed > step ? "not read yet" : share(found[followed]);
  drawn += text(width - 4, top + 15, `“${WORDS[followed]}” → step ${step + 1}: ${said}`, "end");
  return drawn;
};

const draw = () => {
  const step = chosen("step"), followed = chosen("followed"), decay = chosen("decay"), word = `“${WORDS[followed]}”`;
  tell("step", `${step + 1}, ${WORDS[step]}`);
  tell("followed", WORDS[followed]);
  tell("decay", share(decay));
  const width = room("flow"), left = Object.fromEntries(KINDS.map(([kind]) => [kind, share(weights(kind, step, decay)[followed])]));
  const steps = step - followed, many = `${steps} step${steps === 1 ? "" : "s"}`;
  const words = `λ = ${share(decay)}. ` + (steps < 0
    ? `Step ${step + 1} comes before ${word}: none of the three knows it yet.`
    : steps === 0
      ? `At its own step, ${word} is whole in the RNN's state (1), has weight ${left.attention} in attention and 0 in the REM, which looks back only.`
      : `${many} after ${word}: ${left.rnn} of it is left in the RNN's state, after a way through every state between. ` +
        `Attention reads it directly with weight ${left.attention}, which the words decide. ` +
        `The REM reads it directly with weight ${left.rem}, which the distance decides.`);
  const drawn = KINDS.map(([kind, name], i) => band(kind, name, i * HIGH, width, step, followed, decay)).join("");
  paint("flow", width, HIGH * KINDS.length, drawn, `Inputs below, outputs above, in three rows: RNN, attention, REM. ${words}`);
  say(words);
};

root.weights = weights;
start(draw);
