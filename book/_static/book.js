/* What a page does beyond showing: one switch for all its code, and folds that a link opens. Nothing is fetched, and
   without this script everything is on the page all the same. */

(() => {
  "use strict";

  /* Code: folded cells are put away altogether, until the switch under the title shows all of them. */
  const oneSwitchForCode = () => {
    const title = document.querySelector(".bd-article h1");
    const cells = [...document.querySelectorAll(".bd-article details.hide.above-input")];
    if (!title || cells.length === 0) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "code-switch";
    const show = (on) => {
      document.body.classList.toggle("code-away", !on);
      cells.forEach((cell) => { cell.open = on; });
      button.setAttribute("aria-pressed", String(on));
      button.textContent = on ? "Hide the code" : `Show the code (${cells.length} cells)`;
    };
    button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
    title.insertAdjacentElement("afterend", button);
    show(false);
  };

  /* A link opens what its target lies in, and if that is a claim's box, what is folded in it. */
  const unfold = () => {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!named) return;
    const around = [];
    for (let fold = named.closest("details"); fold; fold = fold.parentElement.closest("details")) around.push(fold);
    const inside = named.classList.contains("claim") ? named.querySelectorAll("details") : [];
    [...around, ...inside].forEach((fold) => { fold.open = true; });
    if (around.length) named.scrollIntoView();
  };

  document.addEventListener("DOMContentLoaded", () => {
    oneSwitchForCode();
    unfold();
    window.addEventListener("hashchange", unfold);
  });
})();
