// the state after so many actions, from the moves alone; a test compares it with Python's
const state = (automaton, word, step) => {
  const machine = DATA.machines[automaton];
  return machine.words[word].actions.slice(0, step).reduce((now, action) => machine.moves[now][action], 0);
};

const drawGraph = (machine, now, before, step) => {
  const wide = Math.min(room("graph"), 420), tall = machine.line ? 84 : Math.min(wide, 300);
  const across = wide / 2 - 28, up = tall / 2 - 24;
  const x = place => wide / 2 + across * machine.places[place][0], y = place => tall / 2 + up * machine.places[place][1];
  let found = "";
  for (const [a, b] of machine.edges) found += line(x(a), y(a), x(b), y(b), "grid");
  if (step && before !== now) found += line(x(before), y(before), x(now), y(now), "mark");
  machine.states.forEach((name, place) => {
    const here = place === now;
    found += rect(x(place) - 17, y(place) - 13, 34, 26,
      `rx="13" class="axis" style="fill: var(--${here ? "accent" : "ground"})"`) +
      `<text x="${x(place).toFixed(1)}" y="${(y(place) + 4).toFixed(1)}" text-anchor="middle" ` +
      `${here ? 'class="strong" style="fill: var(--ground)"' : ""}>${escaped(name)}</text>`;
  });
  paint("graph", wide, tall, found, `${machine.states.length} states of ${machine.name}; now in ${machine.states[now]}.`);
};

const drawWord = (machine, word, step, words) => {
  const wide = room("answers"), left = 74, count = word.actions.length, side = (wide - left) / count, tall = 22;
  const x = place => left + (place + 0.5) * side, row = number => 16 + number * tall;
  let found = text(0, row(0), "action", "start");
  for (let place = 0; place < count; place++)
    found += text(x(place), row(0), machine.symbols[word.actions[place]], "middle", place < step ? "strong" : "faint");
  word.answers.forEach(([name, said], number) => {
    found += text(0, row(number + 1), name, "start");
    for (let place = 0; place < step; place++) {
      const right = said[place] === word.states[place];
      found += rect(left + place * side + 1, row(number + 1) - 13, side - 2, tall - 5,
        `style="fill: var(--${right ? "accent" : "plus"})"`);
      if (!right) found += text(x(place), row(number + 1), "×", "middle", "cell dark-by-day light-by-night");
    }
  });
  if (step) found += rect(left + (step - 1) * side, row(0) - 14, side, (word.answers.length + 1) * tall + 1, 'class="here"');
  let base = row(word.answers.length) + 12;
  if (word.looks.length) {
    base += 58;
    found += text(0, base - 20, "looks at", "start") + line(left, base, wide, base, "axis");
    if (step) word.looks[step - 1].forEach((weight, place) => {
      found += rect(left + place * side + 1, base - 50 * weight, side - 2, Math.max(50 * weight, 0.5),
        `style="fill: var(--minus)"`);
    });
    const decides = step ? word.decides[step - 1] : undefined;
    if (decides >= 0) found += rect(left + decides * side + 1, base - 52, side - 2, 52, 'class="here"');
  }
  paint("answers", wide, base + 8, found, words);
};

const draw = () => {
  const automaton = chosen("automaton"), number = chosen("word"), step = chosen("step");
  const machine = DATA.machines[automaton], word = machine.words[number];
  const now = state(automaton, number, step), before = state(automaton, number, Math.max(step - 1, 0));
  tell("step", `${step} of ${word.actions.length}`);
  let words = `${machine.name} begins in state ${machine.states[0]}.`;
  if (step) {
    const right = word.answers.filter(([, said]) => said[step - 1] === now).map(([name]) => name);
    words = `After action ${step}, ${machine.actions[word.actions[step - 1]]}: state ${machine.states[now]}. ` +
      (right.length ? `Right: ${right.join(", ")}.` : "No model is right.");
    const decides = word.decides[step - 1];
    if (word.looks.length && decides >= 0)
      words += ` ${machine.head} gives ${share(word.looks[step - 1][decides])} of its attention to action ${decides + 1}, which decides.`;
  }
  drawGraph(machine, now, before, step);
  drawWord(machine, word, step, words);
  say(words);
};

root.state = state;
start(draw);
