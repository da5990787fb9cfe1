// Says of each table and figure on which side there is more, so that the style sheet can show it; and lets keys scroll
// what scrolls.
function markSides(scroller) {
  const box = scroller.closest(".table-box, .figure-box");
  const hidden = scroller.scrollWidth - scroller.clientWidth;
  const sides = [];
  if (hidden > 1 && scroller.scrollLeft > 1) sides.push("left");
  if (hidden > 1 && scroller.scrollLeft < hidden - 1) sides.push("right");
  box.dataset.more = sides.join(" ");
  if (hidden > 1) {
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", scroller.querySelector("caption")?.innerText ?? "A figure wider than the page");
  } else {
    ["tabindex", "role", "aria-label"].forEach((name) => scroller.removeAttribute(name));
  }
}

document.addEventListener("DOMContentLoaded", () => {
  // what is in a folded part has no size until it is opened: the observer hears of that too
  const watch = new ResizeObserver((entries) => entries.forEach((entry) => markSides(entry.target)));
  document.querySelectorAll(".table-scroll, .figure-scroll").forEach((scroller) => {
    scroller.addEventListener("scroll", () => markSides(scroller), { passive: true });
    watch.observe(scroller);
  });
});
