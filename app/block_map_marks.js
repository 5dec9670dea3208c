// What lies on top of the states: ticks, diamonds, outlines, axes.  All in CSS pixels.

const TICK_WIDTH = 2;
const BARE_TICK_WIDTH = 3; // without a cap, to stand out on thin rows
const CAPPED_TICK_HEIGHT = 9;
const LABEL_SPACING_X = 80;
const LABEL_SPACING_Y = 16;
const FONT = "11px system-ui, sans-serif";

/** Everything on top of the states; the keyboard's cursor is null where the map has no focus. */
function drawMarks(context, rows, scale, theme, { picked, cursor, annotated }) {
  context.save();
  clipToPlot(context, scale.layout);
  drawUnknownRows(context, rows, scale, theme);
  if (cursor && !sameCell(cursor, picked)) outlineCell(context, cursor, scale, theme, true);
  if (picked) outlineCell(context, picked, scale, theme, false);
  drawTicks(context, rows, scale, theme);
  drawDiamonds(context, rows, scale, theme);
  drawBubbles(context, annotated, scale, theme);
  context.restore();
  drawAxes(context, rows, scale, theme, picked?.row);
  if (picked && scale.view.holds(picked)) drawPointers(context, picked, scale, theme);
}

/** Keep what is drawn inside the plot, with room for marks on its edge. */
function clipToPlot(context, layout) {
  context.beginPath();
  context.rect(layout.left - 7, layout.top - 7, layout.width + 14, layout.height + 14);
  context.clip();
}

/** Mark the server's cached_tokens on every row: an upright bar, with a cap where there is room for one. */
function drawTicks(context, rows, scale, theme) {
  const [first, stop] = scale.rowRange;
  const height = Math.max(1, scale.rowHeight - (scale.rowHeight >= GAP_ROW_HEIGHT ? 1 : 0));
  for (let row = first; row < stop; row++) {
    const cached = rows.cachedBlocks[row];
    const isShown = cached >= scale.view.x0 && cached <= scale.view.x1; // not so for NaN: not reported
    if (isShown) drawTick(context, scale.x(cached), scale.y(row), height, theme);
  }
}

function drawTick(context, x, top, height, theme) {
  const capped = height >= CAPPED_TICK_HEIGHT;
  const width = capped ? TICK_WIDTH : BARE_TICK_WIDTH;
  if (capped) {
    context.fillStyle = theme.halo;
    context.fillRect(x - width / 2 - 1, top, width + 2, height);
  }
  context.fillStyle = theme.reported;
  context.fillRect(x - width / 2, top, width, height);
  if (capped) drawCap(context, x, top, theme);
}

function drawCap(context, x, top, theme) {
  context.beginPath();
  context.moveTo(x - 4.5, top);
  context.lineTo(x + 4.5, top);
  context.lineTo(x, top + 6);
  context.closePath();
  context.strokeStyle = theme.halo;
  context.lineWidth = 1.5;
  context.stroke();
  context.fill();
}

/** A diamond at every divergence in view, whatever the zoom: a single block must never vanish. */
function drawDiamonds(context, rows, scale, theme) {
  const { x0, x1, y0, y1 } = scale.view;
  context.fillStyle = theme.states[SETTINGS.diverged];
  context.strokeStyle = theme.halo;
  context.lineWidth = 1.5;
  for (const { row, block } of rows.divergences) {
    if (block + 1 < x0 || block > x1 || row + 1 < y0 || row > y1) continue;
    drawDiamond(context, scale.x(block + 0.5), scale.y(row + 0.5), scale.diamondRadius);
  }
}

function drawDiamond(context, x, y, radius) {
  context.beginPath();
  context.moveTo(x, y - radius);
  context.lineTo(x + radius, y);
  context.lineTo(x, y + radius);
  context.lineTo(x - radius, y);
  context.closePath();
  context.stroke();
  context.fill();
}

/** A speech bubble at every annotated block in view, and at the edge of every annotated turn, whatever the zoom. */
function drawBubbles(context, annotated, scale, theme) {
  const { x0, x1, y0, y1 } = scale.view;
  for (const cell of annotated) {
    const isLeft = cell.block !== null && (cell.block + 1 < x0 || cell.block > x1);
    if (isLeft || cell.row + 1 < y0 || cell.row > y1) continue;
    drawBubble(context, bubbleCentre(scale, cell), theme);
  }
}

function drawBubble(context, { x, y }, theme) {
  const [left, top] = [Math.round(x - BUBBLE_WIDTH / 2), Math.round(y - BUBBLE_HEIGHT / 2)];
  context.beginPath();
  context.roundRect(left, top, BUBBLE_WIDTH, BUBBLE_HEIGHT, 2);
  context.moveTo(left + 6, top + BUBBLE_HEIGHT - 1);
  context.lineTo(left + 1, top + BUBBLE_HEIGHT + 3);
  context.lineTo(left + 2, top + BUBBLE_HEIGHT - 1);
  context.closePath();
  context.strokeStyle = theme.halo;
  context.lineWidth = 2.5;
  context.stroke();
  context.fillStyle = theme.text;
  context.fill();
  context.fillStyle = theme.halo;
  for (const line of [2, 5]) context.fillRect(left + 2, top + line, BUBBLE_WIDTH - 4, 1);
}

/** Outline a cell, with room for a diamond in it; dashed where it is only the keyboard's cursor. */
function outlineCell(context, cell, scale, theme, dashed) {
  const room = 2 * scale.diamondRadius + 7;
  const width = Math.max(room, scale.blockWidth);
  const height = Math.max(room, scale.rowHeight);
  const left = scale.x(cell.block + 0.5) - width / 2;
  const top = scale.y(cell.row + 0.5) - height / 2;
  context.setLineDash(dashed ? [3, 3] : []);
  for (const [colour, lineWidth] of [[theme.halo, 4], [theme.text, 2]]) {
    context.strokeStyle = colour;
    context.lineWidth = lineWidth;
    context.strokeRect(left, top, width, height);
  }
  context.setLineDash([]);
}

/** Point at the picked cell from the margins, so it is found even where cells are tiny. */
function drawPointers(context, cell, scale, theme) {
  const { left, top } = scale.layout;
  context.fillStyle = theme.text;
  const x = scale.x(cell.block + 0.5);
  fillTriangle(context, [x - 5, top - 8], [x + 5, top - 8], [x, top - 2]);
  const y = scale.y(cell.row + 0.5);
  fillTriangle(context, [left - 8, y - 5], [left - 8, y + 5], [left - 2, y]);
}

function fillTriangle(context, ...corners) {
  context.beginPath();
  for (const [x, y] of corners) context.lineTo(x, y);
  context.closePath();
  context.fill();
}

/** Turn numbers in the gutter and block numbers below, as many as fit. */
function drawAxes(context, rows, scale, theme, pickedRow) {
  context.font = FONT;
  context.fillStyle = theme.text;
  context.textBaseline = "middle";
  drawTurnNumbers(context, rows, scale, pickedRow);
  drawBlockNumbers(context, rows, scale);
}

function drawTurnNumbers(context, rows, scale, pickedRow) {
  const { left, top, height } = scale.layout;
  const right = left - 10;
  context.textAlign = "right";
  context.fillText("turn", right, top - 9);
  const [first, stop] = scale.rowRange;
  const step = labelStep(scale.rowHeight, LABEL_SPACING_Y);
  for (let row = first; row < Math.min(stop, rows.numTurns); row++) {
    const isPicked = row === pickedRow;
    const isCrowded = !isPicked && Math.abs(row - pickedRow) * scale.rowHeight < LABEL_SPACING_Y - 2;
    if ((!isPicked && rows.turnNumbers[row] % step !== 0) || isCrowded) continue;
    const y = scale.y(row + 0.5);
    if (y < top || y > top + height) continue;
    const clear = Math.max(top + 4, Math.min(top + height - 5, y));
    context.fillText(String(rows.turnNumbers[row]), right, clear);
  }
}

function drawBlockNumbers(context, rows, scale) {
  const { left, top, width, height } = scale.layout;
  const y = top + height + 11;
  context.fillText("block", left - 10, y);
  context.textAlign = "center";
  const step = labelStep(scale.blockWidth, LABEL_SPACING_X);
  const stop = Math.min(scale.view.x1, rows.maxBlocks);
  for (let block = Math.ceil(scale.view.x0 / step) * step; block < stop; block += step) {
    const words = block.toLocaleString("en");
    const x = scale.x(block + 0.5);
    const isCut = x + context.measureText(words).width / 2 > left + width + MARGIN_RIGHT;
    if (!isCut) context.fillText(words, x, y);
  }
}

/** The round number of rows or blocks between labels that keeps them this far apart. */
function labelStep(size, spacing) {
  for (let power = 1; ; power *= 10) {
    for (const digit of [1, 2, 5]) {
      if (digit * power * size >= spacing) return digit * power;
    }
  }
}

/** Say so in rows whose tokens are unknown: an empty row would look like an empty prompt. */
function drawUnknownRows(context, rows, scale, theme) {
  if (scale.rowHeight < 12) return;
  context.font = FONT;
  context.fillStyle = theme.text;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const [first, stop] = scale.rowRange;
  for (let row = first; row < stop; row++) {
    if (rows.numBlocks[row] === 0) context.fillText("tokens unknown", scale.layout.left + 8, scale.y(row + 0.5));
  }
}
