// Which blocks and rows are in view, and where they lie on the canvas.  Knows nothing of drawing.

const GUTTER = 44; // for turn numbers, CSS pixels
const MARGIN_TOP = 18; // for the word "turn" and the marker of the picked column
const MARGIN_BOTTOM = 20; // for block numbers
const MARGIN_RIGHT = 8;

const MAX_ROW_HEIGHT = 26;
const MIN_PLOT_HEIGHT = 34;
const MAX_PLOT_HEIGHT = 440;

// A prompt of one block must not fill the screen, so a view is never narrower than its zoom limit allows.
const MIN_SESSION_BLOCKS = 24;
const MIN_VIEW_BLOCKS = 8;
const MIN_VIEW_ROWS = 4;

// What a jump to a far cell shows around it.
const JUMP_BLOCKS = 400;
const JUMP_ROWS = 40;
const READABLE_BLOCK = 2; // CSS pixels
const READABLE_ROW = 6;

const BUBBLE_WIDTH = 11; // of an annotation, CSS pixels
const BUBBLE_HEIGHT = 8;

/** The plot area inside a canvas of this width, in CSS pixels. */
function plotLayout(numTurns, canvasWidth) {
  const height = Math.min(MAX_PLOT_HEIGHT, Math.max(MIN_PLOT_HEIGHT, numTurns * MAX_ROW_HEIGHT));
  return {
    left: GUTTER,
    top: MARGIN_TOP,
    width: Math.max(0, canvasWidth - GUTTER - MARGIN_RIGHT),
    height,
    canvasHeight: MARGIN_TOP + height + MARGIN_BOTTOM,
  };
}

/** The part of the session in view: blocks [x0, x1) and rows [y0, y1), as fractions while zooming. */
class Viewport {
  constructor(maxBlocks, numTurns) {
    this.maxBlocks = Math.max(maxBlocks, MIN_SESSION_BLOCKS);
    this.maxRows = Math.max(numTurns, 1);
    this.showAll();
  }

  showAll() {
    Object.assign(this, { x0: 0, x1: this.maxBlocks, y0: 0, y1: this.maxRows });
  }

  get columns() {
    return this.x1 - this.x0;
  }

  get lines() {
    return this.y1 - this.y0;
  }

  get isWhole() {
    return this.columns >= this.maxBlocks && this.lines >= this.maxRows;
  }

  /** Move the view's corner to (x, y) and give it a size, within the session. */
  place(x, y, columns, lines) {
    const wide = Math.min(this.maxBlocks, Math.max(MIN_VIEW_BLOCKS, columns));
    const tall = Math.min(this.maxRows, Math.max(Math.min(MIN_VIEW_ROWS, this.maxRows), lines));
    this.x0 = Math.max(0, Math.min(this.maxBlocks - wide, x));
    this.y0 = Math.max(0, Math.min(this.maxRows - tall, y));
    this.x1 = this.x0 + wide;
    this.y1 = this.y0 + tall;
  }

  centreOn(x, y) {
    this.place(x - this.columns / 2, y - this.lines / 2, this.columns, this.lines);
  }

  /** Scale the view around the point at these fractions of it; a factor below 1 zooms in. */
  zoom(fractionX, fractionY, factorX, factorY) {
    const columns = Math.min(this.maxBlocks, Math.max(MIN_VIEW_BLOCKS, this.columns * factorX));
    const lines = Math.min(this.maxRows, Math.max(Math.min(MIN_VIEW_ROWS, this.maxRows), this.lines * factorY));
    const x = this.x0 + fractionX * (this.columns - columns);
    const y = this.y0 + fractionY * (this.lines - lines);
    this.place(x, y, columns, lines);
  }

  /** Bring a cell into view: pan if cells can be told apart at this zoom, else zoom in on it. */
  reveal(cell, layout) {
    const readable =
      layout.width / this.columns >= READABLE_BLOCK && layout.height / this.lines >= READABLE_ROW;
    if (readable && this.holds(cell)) return;
    const columns = readable ? this.columns : Math.min(this.columns, JUMP_BLOCKS);
    const lines = readable ? this.lines : Math.min(this.lines, JUMP_ROWS);
    // Whole cells at the edges look calmer than half ones.
    this.place(Math.round(cell.block - columns / 2), Math.round(cell.row - lines / 2), columns, lines);
  }

  holds(cell) {
    const inColumns = cell.block >= this.x0 && cell.block + 1 <= this.x1;
    return inColumns && cell.row >= this.y0 && cell.row + 1 <= this.y1;
  }

  /** Pan by as little as brings a cell into view. */
  follow(cell) {
    const x = Math.min(cell.block, Math.max(this.x0, cell.block + 1 - this.columns));
    const y = Math.min(cell.row, Math.max(this.y0, cell.row + 1 - this.lines));
    this.place(x, y, this.columns, this.lines);
  }

  toString() {
    return [this.x0, this.x1, this.y0, this.y1].map((edge) => edge.toFixed(3)).join(",");
  }
}

/** Turns cells into CSS pixels on the canvas and back, for one view and layout. */
class Scale {
  constructor(view, layout) {
    this.view = view;
    this.layout = layout;
    this.blockWidth = layout.width / view.columns;
    this.rowHeight = layout.height / view.lines;
  }

  x(block) {
    return this.layout.left + (block - this.view.x0) * this.blockWidth;
  }

  y(row) {
    return this.layout.top + (row - this.view.y0) * this.rowHeight;
  }

  cellAt(x, y) {
    return {
      block: Math.floor(this.view.x0 + (x - this.layout.left) / this.blockWidth),
      row: Math.floor(this.view.y0 + (y - this.layout.top) / this.rowHeight),
    };
  }

  /** Whole rows that are at least partly in view, as [first, stop). */
  get rowRange() {
    return [Math.floor(this.view.y0), Math.ceil(this.view.y1)];
  }

  get diamondRadius() {
    return Math.min(6, Math.max(4, this.rowHeight / 2 - 2));
  }
}

/** Where the bubble of an annotation is drawn: at the upper right of its block, or at the edge of the row of its turn. */
function bubbleCentre(scale, { row, block }) {
  const y = scale.y(row + 0.5);
  if (block === null) return { x: scale.layout.left + 7, y };
  return { x: scale.x(block + 0.5) + scale.diamondRadius + 5, y: y - scale.diamondRadius + 1 };
}

/** The cell of the bubble under a point, or null; that of a whole turn stands for its first block. */
function bubbleAt(annotated, scale, x, y) {
  const near = annotated.find((cell) => {
    const centre = bubbleCentre(scale, cell);
    return Math.abs(centre.x - x) <= BUBBLE_WIDTH / 2 + 1 && Math.abs(centre.y - y) <= BUBBLE_HEIGHT / 2 + 1;
  });
  return near ? { row: near.row, block: near.block ?? 0 } : null;
}

/** The divergence whose diamond lies under a point, the nearest one if they overlap; or null. */
function diamondAt(rows, scale, x, y) {
  const reach = scale.diamondRadius + 1;
  let nearest = null;
  let shortest = reach;
  for (const cell of rows.divergences) {
    const distance = Math.abs(scale.x(cell.block + 0.5) - x) + Math.abs(scale.y(cell.row + 0.5) - y);
    if (distance <= shortest) {
      shortest = distance;
      nearest = cell;
    }
  }
  return nearest;
}
