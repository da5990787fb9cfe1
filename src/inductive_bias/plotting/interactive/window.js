// inputs that are enough: λ^k/(1 − λ) ≤ ε; a test compares it with Python's formula
const steps = (contraction, error) =>
  Math.max(0, Math.log(1 / ((1 - contraction) * error)) / -Math.log(contraction));
// .01 and .000001, not 1e-6
const small = value => value >= 0.001 ? share(value, 3).replace(/0+$/, "") : minus(`10^${Math.log10(value).toFixed(0)}`);

const draw = () => {
  const contraction = DATA.contractions[chosen("contraction")], error = DATA.errors[chosen("error")];
  tell("contraction", share(contraction, 3).replace(/0+$/, ""));
  tell("error", small(error));
  const window = Math.ceil(steps(contraction, error)), base = 132;
  const wide = room("echo"), count = Math.min(60, Math.floor((wide - 40) / 7)), side = (wide - 40) / count;
  let found = "";
  for (const tick of [0, 0.5, 1]) {
    found += line(34, base - 112 * tick, wide, base - 112 * tick, tick ? "grid" : "axis");
    found += text(28, base - 112 * tick + 4, tick === 0.5 ? ".5" : tick, "end");
  }
  for (let n = 0; n < count; n++) {
    const height = Math.max(112 * contraction ** n, 0.5), inside = n < window;
    found += rect(36 + n * side, base - height, side * 0.75, height,
      `style="fill: var(--${inside ? "accent" : "muted"}); opacity: ${inside ? 1 : 0.5}"`);
    if (n % 10 === 0) found += text(36 + (n + 0.4) * side, base + 16, n);
  }
  if (window < count) found += line(35 + window * side, 12, 35 + window * side, base, "mark") +
    text(35 + window * side + 5, 24, "cut here", "start", "strong");
  const lost = contraction ** window / (1 - contraction);
  const words = `λ = ${share(contraction, 3).replace(/0+$/, "")}, ε = ${small(error)}: the last ${window.toLocaleString("en")} ` +
    `inputs are enough. A head of a recurrence encoding matrix with this λ may be cut there too.`;
  paint("echo", wide, base + 24, found, `Bars that shrink by λ per step. ${words}`);

  const across = room("window"), last = 4, x = value => 14 + (across - 34) * Math.log10(Math.max(value, 1)) / last;
  let axis = line(14, 40, across - 20, 40, "axis");
  for (let power = 0; power <= last; power++)
    axis += line(x(10 ** power), 34, x(10 ** power), 46, "axis") + text(x(10 ** power), 62, (10 ** power).toLocaleString("en"));
  axis += `<circle cx="${x(window).toFixed(1)}" cy="40" r="7" class="point" style="fill: var(--accent); fill-opacity: 1"/>`;
  axis += text(x(window), 22, window.toLocaleString("en"), "middle", "strong");
  paint("window", across, 70, axis, `On a logarithmic axis from 1 to 10,000: ${window}.`);
  say(`${words} What is left beyond is at most ${lost < 0.001 ? lost.toExponential(1).replace("-", "−") : share(lost, 3)}.`);
};

root.steps = steps;
start(draw);
