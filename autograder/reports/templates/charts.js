"use strict";
// Charts, each beside the same facts in words.
const RAMP = [[0, "#2166ac"], [0.5, "#f7f7f7"], [1, "#b2182b"]]; // below zero, zero, above

function look() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  return { text: colour("--text"), line: colour("--line"), yours: colour("--yours"), expected: colour("--expected") };
}

function draw(place, traces, layout) {
  const colours = look();
  const axis = { color: colours.text, gridcolor: colours.line, zeroline: false, automargin: true, ticks: "" };
  const whole = {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: colours.text, size: 13 },
    margin: { l: 50, r: 10, t: 10, b: 40 }, height: 260, showlegend: false, ...layout,
  };
  for (const name of Object.keys(whole)) if (/^[xy]axis\d*$/.test(name)) whole[name] = { ...axis, ...whole[name] };
  if (ready) Plotly.newPlot(place, traces, whole, { displayModeBar: false, responsive: true });
}

function classCharts() {
  const colours = look();
  draw("chart-scores", [{
    type: "bar", x: DATA.bins.map(([low, high]) => `${number(low)}–${number(high)}`), y: DATA.bins.map((bin) => bin[2]),
    marker: { color: colours.expected }, hovertemplate: "%{x}: %{y} students<extra></extra>",
  }], { xaxis: { title: { text: "score" }, type: "category" }, yaxis: { title: { text: "students" }, rangemode: "tozero" } });
  const share = CHECKS.map((check) => 100 * check[3] / Math.max(STUDENTS.length, 1));
  draw("chart-checks", [{
    type: "bar", orientation: "h", y: CHECKS.map((check) => check[0]), x: share, marker: { color: colours.expected },
    text: share.map((value) => `${Math.round(value)} %`), textposition: "auto", hovertemplate: "%{y}: %{x:.1f} %<extra></extra>",
  }], { xaxis: { title: { text: "% passed" }, range: [0, 100] }, yaxis: { autorange: "reversed" } });
}

// ---- one student ----

function pictures(main, student) {
  if (!student.g && !student.d) return;
  main.append(make("h2", {}, "At the public input"));
  for (const picture of student.g || []) heatmaps(main, picture);
  if (student.d) lossCurve(main, student.d);
}

function largest(values) {
  return values.reduce((most, value) => Math.max(most, Math.abs(value ?? 0)), 0);
}

function heatmaps(main, [name, kind, shape, given, pool]) {
  const expected = DATA.expected[pool], what = `${name} (${shape.join(", ")})`;
  if (given === null) return main.append(make("p", {}, `${what}: not a float array of this shape.`));
  const yours = given === 0 ? expected : given;
  if (given === 0 && kind === "gradient") return main.append(make("p", {}, `${what}: as expected.`));
  const apart = yours.map((value, i) => (value === null ? null : value - expected[i]));
  const worst = apart.reduce((at, value, i) => (value === null || Math.abs(value) > Math.abs(apart[at] ?? Infinity) ? i : at), 0);
  const says = given === 0 ? `${what}: as expected.` : `${what}: largest difference at (${index(worst, shape)}): ` +
    `theirs ${yours[worst] === null ? "not finite" : number4(yours[worst])}, expected ${number4(expected[worst])}.`;
  const place = make("div", { role: "img", "aria-label": `${name}: theirs, expected and the difference. ${says}` });
  main.append(make("figure", {}, make("figcaption", {}, says), place));
  const scale = kind === "distribution"
    ? { zmin: Math.min(...expected, ...yours.filter((v) => v !== null)), zmax: Math.max(...expected, ...yours), colorscale: "Viridis" }
    : { zmin: -largest([...expected, ...yours]), zmax: largest([...expected, ...yours]), colorscale: RAMP };
  const off = Math.max(largest(apart), 1e-12);
  const panels = [["theirs", yours, scale], ["expected", expected, scale], ["theirs − expected", apart, { zmin: -off, zmax: off, colorscale: RAMP }]];
  const layout = { height: 90 + 18 * Math.max(3, grid(yours, shape).length), margin: { l: 30, r: 10, t: 30, b: 20 }, annotations: [] };
  const traces = panels.map(([title, values, colours], i) => {
    const [left, right] = [i * 0.35, i * 0.35 + 0.24], axis = i ? String(i + 1) : "";
    layout[`xaxis${axis}`] = { domain: [left, right], showticklabels: false, showgrid: false };
    layout[`yaxis${axis}`] = { autorange: "reversed", showticklabels: false, showgrid: false, anchor: `x${axis}` };
    layout.annotations.push({ text: title, x: (left + right) / 2, y: 1, xref: "paper", yref: "paper", yanchor: "bottom", showarrow: false });
    return {
      type: "heatmap", z: grid(values, shape), xaxis: `x${axis}`, yaxis: `y${axis}`, ...colours, xgap: 1, ygap: 1,
      customdata: grid(values.map((_, at) => index(at, shape)), shape), hoverongaps: false,
      hovertemplate: "(%{customdata}): %{z:.4g}<extra></extra>", showscale: i === 1 || (i === 2 && given !== 0),
      colorbar: { x: right + 0.005, thickness: 8, len: 1, tickformat: ".4~g", nticks: 4, tickfont: { size: 11 } },
    };
  });
  draw(place, traces, layout);
}

const number4 = (value) => String(Number(value.toPrecision(4)));

// Rows of the last axis; an empty row between blocks of the first ones.
function grid(values, shape) {
  const columns = shape[shape.length - 1] || 1, block = shape.length > 1 ? shape[shape.length - 2] : 1, rows = [];
  for (let at = 0; at < values.length; at += columns) {
    if (at && (at / columns) % block === 0) rows.push(Array(columns).fill(null));
    rows.push(values.slice(at, at + columns));
  }
  return rows;
}

function index(flat, shape) {
  const at = [];
  for (const size of [...shape].reverse()) { at.unshift(flat % size); flat = Math.floor(flat / size); }
  return at.join(", ");
}

function lossCurve(main, [given, pool]) {
  const expected = DATA.expected[pool], yours = given === 0 ? expected : given, colours = look();
  if (yours === null) return main.append(make("p", {}, "Loss: no curve, training did not run."));
  const last = yours[yours.length - 1];
  const says = `Loss over ${expected.length} steps: theirs ends at ${last === null ? "a value that is not finite" : number4(last)}, ` +
    `the reference's at ${number4(expected[expected.length - 1])}.`;
  const place = make("div", { role: "img", "aria-label": says });
  main.append(make("figure", {}, make("figcaption", {}, says), place));
  const steps = expected.map((_, i) => i + 1);
  draw(place, [
    { x: steps, y: yours, name: "theirs", mode: "lines+markers", line: { color: colours.yours, width: 3 } },
    { x: steps, y: expected, name: "reference", mode: "lines", line: { color: colours.expected, dash: "dash" } },
  ], { showlegend: true, legend: { orientation: "h", y: 1.15 }, xaxis: { title: { text: "step" }, dtick: 1 }, yaxis: { title: { text: "loss" } }, margin: { l: 50, r: 10, t: 30, b: 40 } });
}

function attemptsChart(main, student) {
  const place = make("div", { role: "img", "aria-label": "Score of each attempt; the numbers are in the list below" });
  main.append(make("figure", {}, place));
  const timed = student.t.every((attempt) => attempt[2]);
  draw(place, [{ x: student.t.map((a) => (timed ? a[2] : a[0])), y: student.t.map((a) => a[1]), mode: "lines+markers", line: { color: look().yours } }],
    { height: 200, xaxis: timed ? { type: "date" } : { title: { text: "attempt" }, dtick: 1 }, yaxis: { title: { text: "score" }, range: [0, DATA.points * 1.05] } });
}

// ---- the library ----

// It is large and runs only once the tables are on the screen; the page does without it until then.
let ready = false;

function begin() {
  start();
  setTimeout(() => {
    const library = document.getElementById("library");
    document.body.append(make("script", {}, library.textContent));
    library.remove();
    ready = true;
    repaint();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
    document.body.dataset.charts = "drawn";
  }, 50);
}

function repaint() {
  classCharts();
  route();
}

begin();
