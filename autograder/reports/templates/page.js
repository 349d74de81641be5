"use strict";
// The table of students and a student's page. Every text goes in as text, never as markup.
const DATA = JSON.parse(document.getElementById("data").textContent);
const STUDENTS = DATA.students, CHECKS = DATA.checks;

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
const number = (value) => String(Math.round(value * 1e4) / 1e4);
const verdict = (student, check) => DATA.verdicts[student.v[check]];
const urgent = (student) => student.f.filter((flag) => !DATA.quiet.includes(flag[0]));
const kinds = (student) => [...new Set(student.f.map((flag) => flag[0]).filter((kind) => kind !== "note"))].sort();

// ---- the table ----

const COLUMNS = [
  ["Student", (s) => s.n],
  ["Score", (s) => s.s],
  ...CHECKS.map(([id], i) => [id, (s) => s.p[i]]),
  ["Causes", (s) => s.c.length],
  ["Flags", (s) => urgent(s).length],
];
const ROWS = STUDENTS.map(row);
const NAMES = new Intl.Collator(undefined, { numeric: true });
let order = STUDENTS.map((_, i) => i), sorted = [0, 1];

function row(student, at) {
  const name = make("bdi", {}, student.n);
  const line = make("tr", {}, make("th", { scope: "row" }, make("a", { href: `#student-${at}` }, name)));
  line.append(make("td", { class: "number" }, number(student.s)));
  CHECKS.forEach((_, i) => {
    const word = verdict(student, i);
    line.append(make("td", {}, word === "passed" ? "passed" : `${word}, ${number(student.p[i])}`));
  });
  line.append(make("td", { class: "causes" }, student.c.join(", ")), make("td", {}, kinds(student).join(", ")));
  return line;
}

const TEXTS = STUDENTS.map((student) =>
  [student.n, ...student.c, ...student.f.map((f) => f[0]), ...CHECKS.map(([id], i) => `${id} ${verdict(student, i)}`)]
    .join("\n").toLowerCase());

function show() {
  const wanted = document.getElementById("search").value.trim().toLowerCase();
  const kept = order.filter((i) => TEXTS[i].includes(wanted));
  document.querySelector("#table tbody").replaceChildren(...kept.map((i) => ROWS[i]));
  document.getElementById("found").textContent = `${kept.length} of ${STUDENTS.length} students`;
}

function sort(column) {
  const way = sorted[0] === column ? -sorted[1] : column === 0 ? 1 : -1;
  const value = COLUMNS[column][1];
  sorted = [column, way];
  order.sort((a, b) => {
    const [x, y] = [value(STUDENTS[a]), value(STUDENTS[b])];
    return (column === 0 ? NAMES.compare(x, y) : x - y) * way || a - b;
  });
  document.querySelectorAll("#table thead th").forEach((head, i) => {
    if (i === column) head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
    else head.removeAttribute("aria-sort");
  });
  show();
}

function head() {
  const line = document.querySelector("#table thead tr");
  COLUMNS.forEach(([title], i) => {
    const button = make("button", { type: "button" }, title);
    button.addEventListener("click", () => sort(i));
    line.append(make("th", { scope: "col" }, button));
  });
  line.firstChild.setAttribute("aria-sort", "ascending");
}

// ---- a student's page ----

function page(at) {
  const student = STUDENTS[at], main = document.getElementById("student");
  const title = make("h1", { tabindex: "-1" }, make("bdi", {}, student.n), `: ${number(student.s)} of ${number(DATA.points)}`);
  const ways = make("nav", { "aria-label": "Students" }, make("a", { href: "#students" }, "All students"));
  const place = order.indexOf(at);
  if (place > 0) ways.append(make("a", { href: `#student-${order[place - 1]}` }, "Previous"));
  if (place < order.length - 1) ways.append(make("a", { href: `#student-${order[place + 1]}` }, "Next"));
  main.dataset.at = at;
  main.replaceChildren(ways, title);
  if (student.f.length) {
    main.append(make("h2", {}, "Flags"), make("ul", {}, ...student.f.map(([kind, detail]) =>
      make("li", {}, make("strong", {}, kind), `: ${detail}`))));
  }
  main.append(make("h2", {}, "Checks"));
  CHECKS.forEach(([id, name, points], i) => {
    main.append(make("h3", {}, `${name}: ${number(student.p[i])} of ${number(points)}, ${verdict(student, i)} `,
      make("small", {}, id)));
    if (student.w[i].length) main.append(make("p", { class: "said" }, student.w[i].join("\n")));
  });
  if (student.l.length) main.append(make("h2", {}, "In the file"), ...student.l.map(excerpt));
  pictures(main, student);
  attempts(main, student);
  return title;
}

function excerpt([where, lines]) {
  const block = make("pre", {});
  for (const [count, text, hit] of lines) {
    block.append(make("span", hit ? { class: "hit" } : {}, `${String(count).padStart(4)}  ${text}`), "\n");
  }
  return make("figure", {}, make("figcaption", {}, where), block);
}

function attempts(main, student) {
  if (!student.t.length) return;
  main.append(make("h2", {}, "Attempts"));
  if (student.t.length > 1) attemptsChart(main, student);
  main.append(make("ul", {}, ...student.t.map(([count, score, when, counts]) =>
    make("li", {}, `${count}: ${number(score)}${when ? `, ${when} UTC` : ""}${counts ? ", counts" : ""}`))));
}

// ---- which of the two is shown ----

function route(event) {
  const found = /^#student-(\d+)$/.exec(location.hash);
  const at = found && Number(found[1]) < STUDENTS.length ? Number(found[1]) : null;
  document.getElementById("class").hidden = at !== null;
  document.querySelector("header").hidden = at !== null;
  document.getElementById("student").hidden = at === null;
  if (at !== null) {
    page(at).focus();
    scrollTo(0, 0);
  } else if (event) {
    document.getElementById("students").focus();
  }
}

function start() {
  head();
  show();
  document.getElementById("search").addEventListener("input", show);
  document.querySelectorAll("button.find").forEach((button) => button.addEventListener("click", () => {
    document.getElementById("search").value = button.dataset.find;
    show();
    document.getElementById("students").focus();
  }));
  addEventListener("hashchange", route);
  route();
}
