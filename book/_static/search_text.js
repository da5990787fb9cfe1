/* What a result of the search quotes is the page's own text: not the menus around it, and no folded code. */

document.addEventListener("DOMContentLoaded", () => {
  "use strict";
  if (typeof Search === "undefined") return;
  Search.htmlToText = (text, anchor) => {
    const page = new DOMParser().parseFromString(text, "text/html").querySelector("article.bd-article");
    if (!page) return "";
    const aside = "script, style, .headerlink, details.above-input, .table-links, nav.contents, aside.topic.contents";
    page.querySelectorAll(aside).forEach((each) => each.remove());
    const found = (anchor && page.querySelector(anchor)) || page;
    return found.textContent.replace(/\s+/g, " ");
  };
});
