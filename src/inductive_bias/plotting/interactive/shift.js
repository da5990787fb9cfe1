const HEIGHT = DATA.image.length, WIDTH = DATA.image[0].length / 2, SIDE = 8;
const ink = DATA.image.map(row => Array.from({ length: WIDTH }, (_, i) => parseInt(row.slice(2 * i, 2 * i + 2), 16) / 255));

const drawPicture = shift => {
  let found = rect(0, 0, WIDTH * SIDE, HEIGHT * SIDE, 'fill="none" class="axis"');
  ink.forEach((row, i) => row.forEach((value, j) => {
    if (value && j + shift < WIDTH) found += rect((j + shift) * SIDE, i * SIDE, SIDE, SIDE,
      `style="fill: var(--ink)" fill-opacity="${value.toFixed(2)}"`);
  }));
  paint("picture", WIDTH * SIDE, HEIGHT * SIDE, found, `A handwritten digit, moved to the right by ${shift} pixels.`);
};

const draw = () => {
  const shift = chosen("shift"), moved = `${shift} pixel${shift === 1 ? "" : "s"}`;
  tell("shift", moved);
  drawPicture(shift);
  const rows = DATA.names.map((name, i) => ({ name, values: DATA.runs[shift][i], colour: `var(--c${i})` }));
  const listed = rows.filter(row => row.values.length).map(row => `${row.name} ${share(mean(row.values), 3)}`).join(", ");
  const words = `Moved by ${moved}: share of ${DATA.words}, mean over runs: ${listed}.`;
  dotRows("rows", rows, { low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1], name: `share of ${DATA.words}`, places: 3 }, words);
  say(words);
};

// the pointer moves the slider, which stays the one place where the shift is kept
const picture = part("picture"), slider = part("shift");
let from = null;
picture.style.touchAction = "pan-y"; // a finger may still scroll the page
picture.style.cursor = "grab";
picture.addEventListener("pointerdown", event => {
  from = { x: event.clientX, shift: chosen("shift") };
  picture.setPointerCapture(event.pointerId);
});
picture.addEventListener("pointermove", event => {
  if (!from) return;
  const pixel = picture.getBoundingClientRect().width / WIDTH;
  slider.value = from.shift + Math.round((event.clientX - from.x) / pixel);
  draw();
});
for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => { from = null; });
start(draw);
