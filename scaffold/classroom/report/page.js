"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const details = JSON.parse(byId("details").textContent);
  const table = document.querySelector("table.students");
  const overview = byId("class");
  const view = byId("student");
  const WITNESS = { 1: "right", 0: "wrong", "-1": "not run" };

  const sorted = sortable(table);
  const rows = sorted.rows.map((row) => {
    const student = details.students[row.dataset.student];
    const texts = [student.name, student.id, student.email, student.origin, student.note];
    return {
      row,
      student,
      haystack: [...texts, ...student.flags, ...student.problems].join("\n").toLowerCase(),
      flagged: row.cells[row.cells.length - 2].dataset.value !== "0",
    };
  });
  const ofRow = new Map(rows.map((each) => [each.row, each]));
  let scrolled = 0;
  let opened = null;

  // Elements are made of text alone: nothing that a student wrote is ever read as HTML.
  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== null));
    return element;
  }

  function filter() {
    const wanted = byId("text").value.trim().toLowerCase();
    const status = byId("status").value;
    const flagged = byId("flagged").checked;
    let shown = 0;
    for (const each of rows) {
      const fits =
        each.haystack.includes(wanted) && (!status || each.student.status === status) && (!flagged || each.flagged);
      each.row.hidden = !fits;
      shown += fits;
    }
    byId("shown").textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} students`;
    byId("nobody").hidden = shown > 0 || rows.length === 0;
  }

  function showAll() {
    byId("text").value = "";
    byId("status").value = "";
    byId("flagged").checked = false;
    filter();
    byId("text").focus();
  }

  function witness(result) {
    const word = WITNESS[result];
    return make("td", { class: "witness", "data-result": word }, word);
  }

  function itemRows([number, tests, exam, message, difference]) {
    const [name, kind] = details.items[number];
    const counts = tests === 1 && exam === 1;
    const disagree = tests + exam === 1;
    const found = [
      make(
        "tr",
        { class: counts ? "counts" : "fails" },
        make("th", { scope: "row" }, make("bdi", {}, name)),
        make("td", {}, kind),
        witness(tests),
        witness(exam),
        make("td", {}, counts ? "counts" : "", disagree ? make("span", { class: "loud" }, "they disagree") : null),
      ),
    ];
    const texts = [
      ["the test says", details.texts[message ?? 0]],
      ["first difference in the exam", details.texts[difference ?? 0]],
    ].filter(([, text]) => text);
    if (texts.length) {
      const parts = texts.flatMap(([label, text]) => [make("p", { class: "label" }, label), make("pre", {}, text)]);
      found.push(make("tr", { class: "texts" }, make("td", { colspan: "5" }, ...parts)));
    }
    return found;
  }

  function labSection([lab, status, reason, items]) {
    const right = items.filter(([, tests, exam]) => tests === 1 && exam === 1).length;
    const heading = make("h3", {}, `Lab ${lab} `, make("span", { class: "status", "data-status": status }, status));
    if (items.length) heading.append(make("small", {}, ` ${right} of ${items.length} count`));
    const section = make("section", { class: "lab" }, heading);
    if (details.texts[reason]) section.append(make("p", {}, details.texts[reason]));
    if (items.length) {
      const titles = ["item", "kind", "tests", "exam", ""].map((title) => make("th", { scope: "col" }, title));
      const head = make("thead", {}, make("tr", {}, ...titles));
      section.append(make("table", { class: "items" }, head, make("tbody", {}, ...items.flatMap(itemRows))));
    }
    return section;
  }

  function listed(title, lines, kind) {
    if (!lines.length) return null;
    const list = make("ul", {}, ...lines.map((text) => make("li", {}, make("bdi", {}, text))));
    return make("section", { class: kind }, make("h3", {}, title), list);
  }

  function facts(student) {
    const points = `${student.points} of ${student.maximum}`;
    const late = student.penalty === "0" ? "" : `, taken off for being late ${student.penalty}`;
    const how = late || student.earned !== student.points ? ` (earned ${student.earned}${late})` : "";
    const pairs = [
      ["Status", `${student.status}: ${details.about[student.status]}`],
      ["Points", points + how],
      ["Note", student.note],
      ["Id", student.id],
      ["Email", student.email],
      ["Handed in", student.submitted],
      ["Found in", student.origin],
      ["Digest", student.digest],
    ].filter(([, text]) => text);
    return make(
      "dl",
      { class: "facts" },
      ...pairs.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, make("bdi", {}, text))]),
    );
  }

  function navigation(place, visibleOnes) {
    const link = (each, before, after) =>
      each
        ? make("a", { href: `#student-${each.row.dataset.student}` }, before, make("bdi", {}, each.student.name), after)
        : make("span", {});
    return make(
      "nav",
      { "aria-label": "Students" },
      link(visibleOnes[place - 1], "← ", ""),
      make("a", { href: "#class" }, "All students"),
      link(visibleOnes[place + 1], "", " →"),
    );
  }

  function open(each) {
    if (!opened) scrolled = window.scrollY;
    opened = each;
    const student = each.student;
    const visibleOnes = sorted.rows.map((row) => ofRow.get(row)).filter((other) => !other.row.hidden || other === each);
    const heading = make("h2", { tabindex: "-1" }, make("bdi", {}, student.name));
    view.replaceChildren(
      ...[
        navigation(visibleOnes.indexOf(each), visibleOnes),
        heading,
        facts(student),
        listed("Flags", student.flags, "flags"),
        student.alike
          ? make("p", {}, make("a", { href: `similarity.html#with-${each.row.dataset.student}` }, "Look at similar code"))
          : null,
        listed("Problems", student.problems, "problems"),
        ...student.labs.map(labSection),
      ].filter((part) => part !== null),
    );
    overview.hidden = true;
    view.hidden = false;
    window.scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  }

  function close() {
    const last = opened;
    opened = null;
    overview.hidden = false;
    view.hidden = true;
    view.replaceChildren();
    if (last) {
      window.scrollTo(0, scrolled);
      last.row.querySelector("a").focus({ preventScroll: true });
    }
  }

  function follow() {
    const wanted = decodeURIComponent(location.hash.slice(1)).replace(/^student-/, "");
    const each = rows.find((other) => other.row.dataset.student === wanted);
    if (each) open(each);
    else close();
  }

  for (const control of document.querySelectorAll(".controls")) control.hidden = false;
  byId("text").addEventListener("input", filter);
  byId("status").addEventListener("change", filter);
  byId("flagged").addEventListener("change", filter);
  byId("everybody").addEventListener("click", showAll);
  window.addEventListener("hashchange", follow);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && location.hash.startsWith("#student-")) location.hash = "#class";
  });
  filter();
  follow();
})();
