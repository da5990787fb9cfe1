// a word that changes the bits by so much or more has the full colour
const FULL = 2, ROW = 26, GAP = 5;
const pen = document.createElement("canvas").getContext("2d");
const wide = word => { pen.font = "14px system-ui, sans-serif"; return pen.measureText(word).width; };
const bits = value => `${share(value, 1)} bits`;

// what the word so many places before the chosen one was worth
const worth = (model, word, before) => DATA.bits[model][word][before - 1] - DATA.bits[model][word][before];

const draw = () => {
  const model = chosen("model"), word = chosen("word"), kept = chosen("kept"), costs = DATA.bits[model][word];
  tell("word", `“${DATA.words[word]}”`);
  tell("kept", kept === DATA.most ? `all ${kept}` : kept);
  const width = room("text"), first = word - DATA.most, last = Math.min(DATA.words.length, word + 6);
  let x = 2, y = 2, found = "";
  for (let i = first; i < last; i++) {
    const name = DATA.words[i], side = wide(name) + 8;
    if (x + side > width - 2 && x > 2) { x = 2; y += ROW; }
    const before = word - i;
    if (before > 0 && before <= kept) {
      const value = worth(model, word, before);
      found += rect(x, y, side, ROW - 4, `rx="3" style="fill: var(--c${value > 0 ? 0 : 1})" ` +
        `fill-opacity="${(0.55 * Math.min(Math.abs(value) / FULL, 1)).toFixed(3)}"`);
    }
    if (before === 0) found += rect(x, y, side, ROW - 4, 'rx="3" class="here" fill="none"');
    found += text(x + 4, y + 16, name, "start", `word${before < 0 || before > kept ? " faint" : ""}`);
    x += side + GAP - 4;
  }
  const given = Array.from({ length: kept }, (_, i) => [DATA.words[word - i - 1], worth(model, word, i + 1)]);
  const best = given.filter(([, value]) => value >= 0.1).sort((a, b) => b[1] - a[1]).slice(0, 3);
  const helped = best.length ? ` Most came from ${best.map(([name, value]) => `“${name}” (${share(value, 1)})`).join(", ")}.` : "";
  const words = `${DATA.models[model]}, “${DATA.words[word]}”: ${bits(costs[0])} without a past, ` +
    `${bits(costs[kept])} with the last ${kept}, ${bits(costs[DATA.most])} with all ${DATA.most} words.${helped}`;
  paint("text", width, y + ROW + 2, found, words);
  say(words);
};

root.worth = worth;
start(draw);
