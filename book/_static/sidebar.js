// The theme keeps the sidebar where it was on the page before; the entry of this page must be in sight all the same.
window.addEventListener("load", () => {
  const entry = [...document.querySelectorAll(".bd-docs-nav .current.active > a, .bd-docs-nav a.current")].pop();
  const sidebar = entry?.closest(".bd-sidebar-primary");
  if (!sidebar) return;
  const [seen, whole] = [entry.getBoundingClientRect(), sidebar.getBoundingClientRect()];
  if (seen.top < whole.top || seen.bottom > Math.min(whole.bottom, innerHeight)) {
    sidebar.scrollTop += seen.top - whole.top - sidebar.clientHeight / 3;
  }
});
