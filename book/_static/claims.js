/* The table of claims: a sentence is the button that opens its card, and a reader searches, filters and sorts. All of that
   is kept in the address, so that a link shows the same rows. Without this script it is a plain table with folds. */

(() => {
  "use strict";

  const GROUPS = {
    decided: ["reproduced", "not reproduced", "confirmed", "refuted"],
    open: ["undecided", "beyond these data", "not testable here"],
  };
  const FIELDS = ["q", "text", "part", "verdict", "whose", "again"];
  /* On a phone so many rows are shown at first. */
  const NARROW = 720, FEW = 25;

  const start = (table) => {
    const form = document.querySelector("form.claim-filter");
    const said = form.querySelector("output");
    const rows = [...table.querySelectorAll("tbody.claim-row")];
    const words = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
    const heads = [...table.querySelectorAll("th[data-sort]")];
    let order = "", all = innerWidth > NARROW;

    const more = document.createElement("button");
    more.type = "button";
    more.className = "claim-more";
    table.insertAdjacentElement("afterend", more);

    /* A card is a row of its own; its fold is always open, since the whole row is hidden. */
    const open = (row, on) => {
      row.querySelector(".claim-card").hidden = !on;
      row.querySelector("details").open = true;
      row.querySelector("button.claim-open").setAttribute("aria-expanded", String(on));
    };
    const upgrade = (row) => {
      const statement = row.querySelector(".claim-statement"), card = row.querySelector(".claim-card");
      const button = document.createElement("button");
      card.id = `card-${row.id.slice("claim-".length)}`;
      button.type = "button";
      button.className = "claim-open";
      button.setAttribute("aria-controls", card.id);
      statement.replaceWith(button);
      button.append(statement);
      button.addEventListener("click", () => open(row, card.hidden));
      open(row, false);
    };

    const value = (name) => {
      const field = form.elements[name];
      return field.type === "checkbox" ? (field.checked ? field.value : "") : field.value.trim();
    };
    const fits = (row) => {
      const { text, part, verdict, whose } = row.dataset;
      const asked = value("verdict");
      return (value("again") || !row.dataset.again)
        && (!value("text") || value("text") === text) && (!value("part") || value("part") === part)
        && (!value("whose") || value("whose") === whose)
        && (!asked || (GROUPS[asked] || [asked]).includes(verdict))
        && value("q").toLowerCase().split(/\s+/).every((word) => words.get(row).includes(word));
    };
    const KEYS = {
      "": (row) => +row.dataset.place,
      verdict: (row) => +row.dataset.order,
      time: (row) => (row.dataset.time === undefined ? Infinity : +row.dataset.time),
    };
    const remember = () => {
      const query = new URLSearchParams();
      FIELDS.forEach((name) => { if (value(name)) query.set(name, value(name)); });
      if (order) query.set("sort", order);
      const text = query.toString();
      history.replaceState(null, "", `${location.pathname}${text ? `?${text}` : ""}${location.hash}`);
    };
    const show = () => {
      const fitting = rows.filter(fits), shown = new Set(all ? fitting : fitting.slice(0, FEW));
      rows.forEach((row) => { row.hidden = !shown.has(row); });
      more.hidden = shown.size === fitting.length;
      more.textContent = `Show all ${fitting.length}`;
      const many = rows.length === fitting.length ? `${rows.length}` : `${fitting.length} of ${rows.length}`;
      said.textContent = `${many} claims`;
    };
    const sort = (key) => {
      order = key in KEYS ? key : "";
      const by = KEYS[order], place = KEYS[""];
      rows.sort((a, b) => (by(a) === by(b) ? place(a) - place(b) : by(a) - by(b)));
      table.append(...rows);
      heads.forEach((head) => {
        if (head.dataset.sort === order) head.setAttribute("aria-sort", "ascending");
        else head.removeAttribute("aria-sort");
      });
      show();
    };
    const change = () => { show(); remember(); };

    /* What a link names is shown, whatever the lists say, and open. */
    const named = () => {
      const row = rows.find((each) => each.id === decodeURIComponent(location.hash.slice(1)));
      if (!row) return;
      row.hidden = false;
      open(row, true);
      row.scrollIntoView({ block: "center" });
    };

    rows.forEach(upgrade);
    heads.forEach((head) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "claim-sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => { sort(head.dataset.sort); remember(); });
    });
    const query = new URLSearchParams(location.search);
    FIELDS.forEach((name) => {
      const field = form.elements[name], asked = query.get(name);
      if (asked === null) return;
      if (field.type === "checkbox") field.checked = asked === field.value;
      else if (field.type === "search" || [...field.options].some((each) => each.value === asked)) field.value = asked;
    });
    table.classList.add("opens");
    form.hidden = false;
    form.addEventListener("input", change);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(() => { sort(""); remember(); }));
    more.addEventListener("click", () => { all = true; show(); });
    sort(query.get("sort") || "");
    named();
    addEventListener("hashchange", named);
  };

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll("table.claim-table").forEach(start));
})();
