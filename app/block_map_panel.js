// The words around the map: legend, tooltip, what a screen reader hears.  All text goes in as text, never as markup.

const number = (value) => value.toLocaleString("en");

function plural(count, noun) {
  return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function makeElement(tag, className, text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

/** "46,992–47,007" for the half-open range [start, stop). */
function rangeText(start, stop) {
  return stop - start > 1 ? `${number(start)}–${number(stop - 1)}` : number(start);
}

function stateWords(rows, cell) {
  return SETTINGS.words[rows.runStates[runIndex(rows, cell.row, cell.block)]];
}

function cachedText(rows, row) {
  const cached = rows.cachedBlocks[row];
  return Number.isNaN(cached) ? "not reported" : plural(Math.round(cached * rows.blockSize), "token");
}

/** What is known about a cell, one line each; the first line is its state. */
function describeCell(rows, cell, annotated) {
  const { row, block } = cell;
  const run = runIndex(rows, row, block);
  const start = rows.runStarts[run];
  const stop = runStop(rows, row, run);
  const size = rows.blockSize;
  const runTokens = tokenStop(rows, row, stop) - start * size;
  return [
    SETTINGS.words[rows.runStates[run]],
    `turn ${rows.turnNumbers[row]} · block ${number(block)}`,
    `tokens ${rangeText(block * size, tokenStop(rows, row, block + 1))}`,
    `run of ${plural(stop - start, "block")} (${plural(runTokens, "token")})`,
    `cached_tokens: ${cachedText(rows, row)}`,
    ...annotationLines(annotated, cell),
  ];
}

function annotationLines(annotated, cell) {
  const { here, turn } = annotationsAt(annotated, cell);
  const lines = here > 0 ? [`${plural(here, "note")} here`] : [];
  return turn > 0 ? [...lines, `${plural(turn, "note")} on the turn`] : lines;
}

/** What a screen reader says about a cell. */
function announceCell(rows, cell, prefix, annotated) {
  const turn = rows.turnNumbers[cell.row];
  const said = [stateWords(rows, cell), ...annotationLines(annotated, cell)].join(", ");
  return `${prefix} turn ${turn}, block ${number(cell.block)}: ${said}`;
}

function mapLabel(rows, annotated) {
  const size = `${plural(rows.numTurns, "turn")}, up to ${plural(rows.maxBlocks, "block")} of ${rows.blockSize} tokens`;
  const divergences = plural(rows.divergences.length, "divergence");
  const notes = annotated.reduce((sum, cell) => sum + cell.count, 0);
  const written = notes > 0 ? `, ${plural(notes, "note")}` : "";
  return `Block map: ${size}, ${divergences}, cached_tokens reported on ${plural(rows.numReported, "turn")}${written}`;
}

/** The part in view, in words. */
function extentText(rows, view) {
  if (rows.numTurns === 0) return "no turns";
  const firstRow = Math.max(0, Math.round(view.y0));
  const lastRow = Math.max(firstRow, Math.min(rows.numTurns, Math.round(view.y1)) - 1);
  const turns = [rows.turnNumbers[firstRow], rows.turnNumbers[lastRow]];
  const firstBlock = Math.floor(view.x0);
  const stopBlock = Math.max(firstBlock + 1, Math.min(rows.maxBlocks, Math.ceil(view.x1)));
  const turnText = firstRow === lastRow ? `turn ${turns[0]}` : `turns ${turns[0]}–${turns[1]}`;
  const noun = stopBlock - firstBlock === 1 ? "block" : "blocks";
  return `${turnText} · ${noun} ${rangeText(firstBlock, stopBlock)}`;
}

/** What the legend says: the states that occur, and the marks if they do. */
function legendItems(rows, theme, annotated) {
  const items = occurringStates(rows)
    .filter((state) => state !== SETTINGS.diverged)
    .map((state) => ({ shape: "state", state, words: SETTINGS.words[state] }));
  if (rows.divergences.length > 0) {
    items.push({ shape: "diamond", colour: theme.states[SETTINGS.diverged], words: "divergence" });
  }
  if (rows.numReported > 0) {
    items.push({ shape: "tick", colour: theme.reported, words: "cached_tokens, as the server reported" });
  }
  if (annotated.length > 0) items.push({ shape: "bubble", colour: theme.text, words: "note" });
  return items;
}

function fillLegend(list, rows, theme, annotated) {
  list.replaceChildren(...legendItems(rows, theme, annotated).map((item) => legendEntry(item, theme)));
}

function legendEntry({ shape, state, colour, words }, theme) {
  const entry = document.createElement("li");
  entry.append(shape === "state" ? stateSwatch(state, theme) : markSwatch(shape, colour), words);
  return entry;
}

function stateSwatch(state, theme) {
  const swatch = makeElement("span", "swatch");
  const colour = theme.states[state];
  swatch.style.background = SETTINGS.hatched[state]
    ? `repeating-linear-gradient(-45deg, ${theme.hatch} 0 1.5px, ${colour} 1.5px 5px)`
    : colour;
  return swatch;
}

function markSwatch(shape, colour) {
  const swatch = makeElement("span", `swatch ${shape}`);
  swatch.style.setProperty("--mark", colour);
  return swatch;
}

/** Show the tooltip beside a point of the stage, flipped where it would leave it. */
function showTip(tip, lines, x, y, stageWidth) {
  const [title, ...details] = lines;
  tip.replaceChildren(makeElement("strong", "", title), ...details.map((line) => makeElement("div", "", line)));
  tip.hidden = false;
  const flipped = x + 16 + tip.offsetWidth > stageWidth;
  tip.style.left = `${Math.max(0, flipped ? x - 16 - tip.offsetWidth : x + 16)}px`;
  tip.style.top = `${y + 16}px`;
}
