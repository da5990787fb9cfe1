// softmax(logits / T); a test compares it with torch's
const softened = (logits, temperature) => {
  const top = Math.max(...logits), parts = logits.map(logit => Math.exp((logit - top) / temperature));
  const whole = parts.reduce((sum, part) => sum + part, 0);
  return parts.map(part => part / whole);
};
// three places are enough to see that something is there
const spoken = value => value < 0.0005 ? "less than .001" : share(value, 3);

const draw = () => {
  const at = chosen("temperature"), temperature = DATA.temperatures[at], shares = softened(DATA.logits, temperature);
  tell("temperature", String(temperature));
  const width = room("bars"), base = 190, side = (width - 40) / shares.length, y = value => base - 164 * value;
  let found = "";
  for (const tick of [0.5, 1]) found += line(34, y(tick), width, y(tick), "grid");
  for (const tick of [0, 0.5, 1]) found += text(28, y(tick) + 4, share(tick, 1).replace(/^\.0$/, "0").replace(".0", ""), "end");
  shares.forEach((value, i) => {
    const x = 38 + (i + 0.5) * side, wide = Math.min(side * 0.6, 40);
    found += rect(x - wide / 2, y(value), wide, Math.max(base - y(value), 1), 'style="fill: var(--accent)"');
    found += text(x, y(value) - 6, value < 0.005 ? "0" : share(value).replace(/^1\.00$/, "1"), "middle");
    found += text(x, base + 18, i, "middle", i === DATA.label ? "strong" : "");
  });
  found += line(34, base, width, base, "axis") + text(34 + (width - 34) / 2, base + 36, "class", "middle", "faint");
  const order = shares.map((_, i) => i).sort((a, b) => shares[b] - shares[a]);
  const [first, second, third, ...rest] = order, remaining = rest.reduce((sum, i) => sum + shares[i], 0);
  const words = `T = ${temperature}: ${first} has ${spoken(shares[first])}, ${second} ${spoken(shares[second])}, ` +
    `${third} ${spoken(shares[third])}, all others together ${spoken(remaining)}.`;
  paint("bars", width, base + 42, found, `Probabilities by class at ${words}`);
  say(DATA.notes[at] ? `${words} ${DATA.notes[at]}` : words);
};

root.softened = softened;
start(draw);
