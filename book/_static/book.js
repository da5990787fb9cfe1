/* What a page does beyond showing: one switch for all its code, and the lists that choose claims. Nothing is fetched,
   and without this script everything is on the page all the same. */

(() => {
  "use strict";

  /* Claims: a box is shown if it fits what both lists say. */
  const chooseClaims = (form) => {
    const lists = [...form.querySelectorAll("select[data-filter]")];
    const said = form.querySelector("output");
    const boxes = [...document.querySelectorAll(".claim[data-part]")];
    const groups = [...document.querySelectorAll(".claim-group")];
    const choose = () => {
      const fits = (box) => lists.every((list) => !list.value || box.dataset[list.dataset.filter] === list.value);
      boxes.forEach((box) => { box.hidden = !fits(box); });
      groups.forEach((group) => { group.hidden = !group.querySelector(".claim:not([hidden])"); });
      const left = boxes.filter((box) => !box.hidden).length;
      said.textContent = `${left} ${left === 1 ? "claim" : "claims"}`;
    };
    form.addEventListener("change", choose);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = false;
    choose();
  };

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
    document.querySelectorAll("form.claim-filter").forEach(chooseClaims);
    oneSwitchForCode();
    unfold();
    window.addEventListener("hashchange", unfold);
  });
})();
