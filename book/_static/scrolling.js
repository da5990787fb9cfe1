// Says of each table and figure on which side there is more, so that the style sheet can show it; and lets keys scroll
// what scrolls, formulas too.
function nameOf(scroller) {
  if (scroller.matches("mjx-container")) return "A formula wider than the page";
  const number = scroller.closest("figure")?.querySelector(".caption-number")?.innerText.trim();
  return scroller.querySelector("caption")?.innerText ?? number ?? scroller.querySelector("img")?.alt ?? "Wider than the page";
}

function markSides(scroller) {
  const box = scroller.closest(".table-box, .figure-box") ?? scroller;
  const hidden = scroller.scrollWidth - scroller.clientWidth;
  const sides = [];
  if (hidden > 1 && scroller.scrollLeft > 1) sides.push("left");
  if (hidden > 1 && scroller.scrollLeft < hidden - 1) sides.push("right");
  box.dataset.more = sides.join(" ");
  if (hidden > 1) {
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", nameOf(scroller));
  } else if (scroller.getAttribute("role") === "region") {
    ["tabindex", "role", "aria-label"].forEach((name) => scroller.removeAttribute(name));
  }
}

document.addEventListener("DOMContentLoaded", () => {
  // what is in a folded part has no size until it is opened: the observer hears of that too
  const watch = new ResizeObserver((entries) => entries.forEach((entry) => markSides(entry.target)));
  const follow = (scroller) => {
    scroller.addEventListener("scroll", () => markSides(scroller), { passive: true });
    watch.observe(scroller);
  };
  document.querySelectorAll(".table-scroll, .figure-scroll").forEach(follow);
  window.addEventListener("load", () => {
    // formulas are there when MathJax has typeset them
    window.MathJax?.startup?.promise?.then(() => document.querySelectorAll('mjx-container[display="true"]').forEach(follow));
  });
});
