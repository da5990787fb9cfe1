/* What a page does beyond showing: one switch for all its code, folds that a link opens, and all of them open on paper.
   Nothing is fetched, and without this script everything is on the page all the same. */

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
      cells.forEach((cell) => { cell.open = on; cell.classList.remove("asked-for"); });
      button.setAttribute("aria-pressed", String(on));
      button.textContent = on ? "Hide the code" : `Show the code (${cells.length} cells)`;
    };
    button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
    title.insertAdjacentElement("afterend", button);
    show(false);
  };

  /* A figure leads to the cell that drew it, which lies folded above it. */
  const codeOfFigures = () => {
    document.querySelectorAll(".bd-article .cell > details.above-input").forEach((code) => {
      const caption = code.parentElement.querySelector("figure figcaption");
      if (!caption) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "figure-code";
      button.textContent = "Its code";
      button.addEventListener("click", () => {
        code.classList.add("asked-for");
        code.open = true;
        code.scrollIntoView({ block: "start" });
        code.querySelector("summary").focus({ preventScroll: true });
      });
      caption.append(button);
    });
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

  /* Paper: what is folded is open, but for code, and it is black on white at night as well. Then all is as it was. */
  const paper = () => {
    const page = document.documentElement;
    let opened = [], theme = "";
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll(".bd-article details:not([open], .above-input)")];
      opened.forEach((fold) => { fold.open = true; });
      theme = page.dataset.theme;
      page.dataset.theme = "light";
    });
    addEventListener("afterprint", () => {
      opened.forEach((fold) => { fold.open = false; });
      page.dataset.theme = theme;
    });
  };

  document.addEventListener("DOMContentLoaded", () => {
    paper();
    oneSwitchForCode();
    codeOfFigures();
    unfold();
    window.addEventListener("hashchange", unfold);
  });
})();
