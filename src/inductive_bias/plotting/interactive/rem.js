const LENGTH = DATA.length, KINDS = ["real", "cos", "sin"], DECAY = 0.9;

// the same f as inductive_bias.layers.rem_lags; a test compares the two
const remLags = (kind, decay, angle, length, dilation, diagonal) => Array.from({ length }, (_, n) => {
  if (n === 0) return kind === "cos" && diagonal === "printed" ? 1 : 0;
  if (n % dilation) return 0;
  const m = n / dilation;
  const turn = { real: 1, cos: Math.cos(m * angle), sin: Math.sin(m * angle) }[kind];
  return decay ** m * turn;
});

// blue above 0, red below, the page's own ground at 0
const inked = value => `style="fill: var(--${value < 0 ? "minus" : "plus"})" fill-opacity="${Math.min(Math.abs(value), 1)}"`;

const drawLags = (lags, words) => {
  const width = room("lags"), step = (width - 46) / (LENGTH - 1);
  const x = n => 36 + n * step, y = value => 146 - 122 * value;
  let found = "";
  for (const tick of [-1, -0.5, 0.5, 1]) found += line(36, y(tick), width, y(tick), "grid");
  found += line(36, y(0), width, y(0), "axis");
  for (const tick of [-1, 0, 1]) found += text(28, y(tick) + 4, minus(tick), "end");
  for (let n = 0; n < LENGTH; n += 4) found += text(x(n), 288, n);
  lags.forEach((value, n) => {
    found += line(x(n), y(0), x(n), y(value), "axis") +
      `<circle cx="${x(n)}" cy="${y(value)}" r="4" style="fill: var(--${value < 0 ? "minus" : "plus"})"/>`;
  });
  paint("lags", width, 312, found + text(width / 2, 307, "steps back, n") + text(0, 12, "weight", "start"), words);
};

const drawMatrix = (lags, symmetric, words) => {
  const width = Math.min(room("matrix"), 330), side = (width - 40) / LENGTH, edge = width - 40;
  let found = "";
  for (let i = 0; i < LENGTH; i++) for (let j = 0; j < LENGTH; j++) {
    const value = j <= i || symmetric ? lags[Math.abs(i - j)] : 0;
    found += rect(36 + j * side, 4 + i * side, side, side, inked(value));
  }
  found += rect(36, 4, edge, edge, 'fill="none" class="axis"') + text(36 + edge / 2, edge + 22, "token that is read, j") +
    `<g transform="rotate(-90 22 ${4 + edge / 2})">${text(22, 4 + edge / 2, "token that reads, i")}</g>`;
  paint("matrix", width, edge + 28, found, words);
};

// λ may be negative and γ may not: a kind takes over how fast the last one faded, and λ gets its sign back
let before = "real", sign = 1;
const handOver = kind => {
  const decay = part("decay"), size = Number(decay.value);
  if ((kind === "real") !== (before === "real")) {
    if (kind === "real") decay.min = -0.99;
    else sign = size < 0 ? -1 : 1;
    // a head that had faded at once would leave an empty picture
    const kept = Math.abs(size) < 0.1 && kind !== "real" ? DECAY : Math.abs(size);
    decay.value = kind === "real" ? sign * kept : kept;
    if (kind !== "real") decay.min = 0.01;
  }
  before = kind;
};

const draw = () => {
  const kind = KINDS[chosen("kind")], symbol = kind === "real" ? "λ" : "γ";
  handOver(kind);
  part("angle").disabled = kind === "real"; // a real head does not turn
  part("printed").disabled = kind !== "cos"; // the other two are 0 there either way
  part("decay").closest("label").querySelector(".name").textContent = symbol;
  const size = chosen("decay"), degrees = chosen("angle"), dilation = chosen("dilation");
  const printed = kind === "cos" && chosen("printed"), symmetric = chosen("symmetric");
  const shown = minus(size.toFixed(2));
  tell("decay", shown);
  tell("angle", kind === "real" ? "–" : `${degrees}°`);
  tell("dilation", String(dilation));
  const lags = remLags(kind, size, degrees * Math.PI / 180, LENGTH, dilation, printed ? "printed" : "zero");
  const turn = kind === "real" ? "" : `, θ ${degrees}°`, head = `${kind} head, ${symbol} ${shown}${turn}, dilation ${dilation}`;
  // the slowest head of all has fallen below .01 after 6 × 459 steps
  const far = remLags(kind, size, degrees * Math.PI / 180, 3000, dilation, "zero");
  const last = far.reduce((found, value, n) => Math.abs(value) >= 0.01 ? n : found, 0);
  const reach = last ? `weights of .01 and more reach ${last} step${last > 1 ? "s" : ""} back` : "no step back has a weight of .01";
  say(`${head}: ${reach}; ${symmetric ? "past and future" : "the past alone"}${printed ? "; 1 on the diagonal" : ""}.`);
  drawLags(lags, `Weight by steps back of a ${head}: ${lags.slice(0, 9).map(value => minus(value.toFixed(2))).join(", ")} …`);
  drawMatrix(lags, symmetric, `${LENGTH} by ${LENGTH} matrix of the same weights, ` +
    `${symmetric ? "symmetric" : "zero above the diagonal"}.`);
};

root.remLags = remLags;
start(draw);
