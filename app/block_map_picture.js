// The picture that is saved: title, legend and the part of the map in view, on a canvas of its own.
// Nothing in it is text of a log, and no host is asked for it.

const PICTURE_NAME = "whymiss-block-map.png";
const PICTURE_WIDTH = 1200; // CSS pixels, the picture has twice as many
const PICTURE_DENSITY = 2;
const PICTURE_MARGIN = 16;
const TITLE_FONT = "600 15px system-ui, sans-serif";
const TITLE_HEIGHT = 22;
const WORDS_FONT = "12px system-ui, sans-serif";
const WORDS_HEIGHT = 20;
const SWATCH_SIZE = 12;

/** The picture as a canvas, in the colours of the page. */
function pictureOf(rows, view, theme, marks) {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  const items = legendItems(rows, theme, marks.annotated);
  const placed = placeLegend(context, items, PICTURE_WIDTH - 2 * PICTURE_MARGIN);
  const layout = plotLayout(rows.numTurns, PICTURE_WIDTH - 2 * PICTURE_MARGIN);
  const top = PICTURE_MARGIN + TITLE_HEIGHT + WORDS_HEIGHT + placed.height + 6;
  const size = { width: PICTURE_WIDTH, height: top + layout.canvasHeight + PICTURE_MARGIN };
  canvas.width = size.width * PICTURE_DENSITY;
  canvas.height = size.height * PICTURE_DENSITY;
  context.scale(PICTURE_DENSITY, PICTURE_DENSITY);
  context.fillStyle = theme.halo;
  context.fillRect(0, 0, size.width, size.height);
  drawHeading(context, rows, view, theme, marks.annotated);
  for (const item of placed.items) drawLegendItem(context, item, theme);
  drawPlot(context, rows, view, theme, layout, marks, top);
  return canvas;
}

function drawHeading(context, rows, view, theme, annotated) {
  context.fillStyle = theme.text;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.font = TITLE_FONT;
  const room = PICTURE_WIDTH - 2 * PICTURE_MARGIN;
  context.fillText(mapLabel(rows, annotated), PICTURE_MARGIN, PICTURE_MARGIN + TITLE_HEIGHT / 2, room);
  context.font = WORDS_FONT;
  const below = PICTURE_MARGIN + TITLE_HEIGHT + WORDS_HEIGHT / 2;
  context.fillText(`Shown: ${extentText(rows, view)}`, PICTURE_MARGIN, below);
}

/** Where every item of the legend stands, line by line, and how high all of them are. */
function placeLegend(context, items, width) {
  context.font = WORDS_FONT;
  let [x, line] = [0, 0];
  const placed = items.map((item) => {
    const needed = SWATCH_SIZE + 6 + context.measureText(item.words).width;
    if (x > 0 && x + needed > width) [x, line] = [0, line + 1];
    const place = { ...item, x: PICTURE_MARGIN + x, y: PICTURE_MARGIN + TITLE_HEIGHT + (line + 1.5) * WORDS_HEIGHT };
    x += needed + 16;
    return place;
  });
  return { items: placed, height: items.length > 0 ? (line + 1) * WORDS_HEIGHT : 0 };
}

function drawLegendItem(context, { shape, state, words, x, y }, theme) {
  const [middle, half] = [x + SWATCH_SIZE / 2, SWATCH_SIZE / 2];
  if (shape === "state") drawStateSwatch(context, state, x, y - half, theme);
  else if (shape === "tick") drawTick(context, middle, y - half, SWATCH_SIZE, theme);
  else if (shape === "bubble") drawBubble(context, { x: middle, y }, theme);
  else {
    context.fillStyle = theme.states[SETTINGS.diverged];
    context.strokeStyle = theme.halo;
    drawDiamond(context, middle, y, half);
  }
  context.fillStyle = theme.text;
  context.font = WORDS_FONT;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillText(words, x + SWATCH_SIZE + 6, y);
}

function drawStateSwatch(context, state, left, top, theme) {
  context.fillStyle = theme.states[state];
  context.fillRect(left, top, SWATCH_SIZE, SWATCH_SIZE);
  if (!SETTINGS.hatched[state]) return;
  context.strokeStyle = theme.hatch;
  context.lineWidth = 1.5;
  context.save();
  context.beginPath();
  context.rect(left, top, SWATCH_SIZE, SWATCH_SIZE);
  context.clip();
  for (let at = 0; at <= 2 * SWATCH_SIZE; at += 5) {
    context.beginPath();
    context.moveTo(left + at, top);
    context.lineTo(left + at - SWATCH_SIZE, top + SWATCH_SIZE);
    context.stroke();
  }
  context.restore();
}

function drawPlot(context, rows, view, theme, layout, marks, top) {
  const states = canvasOf(statesImage(rows, view, theme, layout, PICTURE_DENSITY));
  context.save();
  context.translate(PICTURE_MARGIN, top);
  context.drawImage(states, layout.left, layout.top, layout.width, layout.height);
  drawMarks(context, rows, new Scale(view, layout), theme, marks);
  context.restore();
}

/** An image that can be laid over others: put in directly, its blank pixels would be holes in the background. */
function canvasOf(image) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** Hand a canvas to the browser's downloads. */
function savePicture(canvas) {
  canvas.toBlob((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = PICTURE_NAME;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // a browser may ask where to save it first
  }, "image/png");
}
