"use strict";
(() => {
  const table = document.querySelector("table.pairs");
  if (!table) return; // there are no pairs
  const byId = (id) => document.getElementById(id);
  const rows = sortable(table).rows.map((row) => ({
    row,
    passages: byId(`pair-${row.dataset.pair}`),
    people: row.dataset.with.split(" "),
    haystack: `${row.cells[2].textContent}\n${row.cells[4].textContent}`.toLowerCase(),
  }));
  let only = ""; // whose pairs are asked for by the address

  function filter() {
    const wanted = byId("text").value.trim().toLowerCase();
    const lab = byId("lab").value;
    const students = byId("students").checked;
    let shown = 0;
    for (const { row, passages, people, haystack } of rows) {
      const fits =
        haystack.includes(wanted) &&
        (!lab || row.dataset.lab === lab) &&
        (!students || people[1] !== "") &&
        (!only || people.includes(only));
      row.hidden = passages.hidden = !fits;
      shown += fits;
    }
    byId("shown").textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} pairs`;
    byId("everybody").parentElement.hidden = !only && shown > 0;
    byId("what").textContent = shown ? "These are the pairs of one student." : "No pair is like that.";
  }

  function showAll() {
    byId("text").value = "";
    byId("lab").value = "";
    byId("students").checked = false;
    location.hash = "#pairs";
    only = "";
    filter();
    byId("text").focus();
  }

  function follow() {
    const found = /^#with-(.+)$/.exec(location.hash);
    if (found) only = found[1];
    filter();
    const pair = /^#pair-\d+$/.test(location.hash) && byId(location.hash.slice(1));
    if (pair) {
      pair.scrollIntoView();
      pair.querySelector("h3").focus({ preventScroll: true });
    }
  }

  for (const control of document.querySelectorAll(".controls")) control.hidden = false;
  byId("text").addEventListener("input", filter);
  byId("lab").addEventListener("change", filter);
  byId("students").addEventListener("change", filter);
  byId("everybody").addEventListener("click", showAll);
  window.addEventListener("hashchange", follow);
  follow();
})();
