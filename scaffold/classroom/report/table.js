"use strict";
// Makes each heading of a table a button that sorts by its column: numbers the highest first, words from A on, and the
// other way round when it is pressed again. `rows` are kept in their order for those who want to know it.
function sortable(table) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  const inEnglish = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const found = { rows: [...body.rows] };
  const cells = new Map(
    found.rows.map((row) => [row, [...row.cells].map((cell) => cell.dataset.value ?? cell.textContent)]),
  );

  function sortBy(heading) {
    const column = headings.indexOf(heading);
    const numeric = heading.dataset.kind === "number";
    const before = heading.getAttribute("aria-sort");
    const down = before ? before === "ascending" : numeric; // the most points first
    for (const other of headings) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    const compare = numeric ? (a, b) => a - b : inEnglish.compare;
    const sign = down ? -1 : 1;
    found.rows = [...found.rows].sort((a, b) => sign * compare(cells.get(a)[column], cells.get(b)[column]));
    body.append(...found.rows);
  }

  for (const heading of headings) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(heading));
  }
  return found;
}
