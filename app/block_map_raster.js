// The ground of the map: colours of the theme, and states as pixels.

const GAP_ROW_HEIGHT = 4; // rows and blocks are set apart only where the gap does not eat them, CSS pixels
const GAP_BLOCK_WIDTH = 5;
const HATCH_PERIOD = 7;
const HATCH_WIDTH = 2.5;

// A column of pixels shows one state; 0 stands for no block, so states are kept one higher.
const RANK_OF_PIXEL = [0, ...SETTINGS.rank];

/** The colours in use: the states' own, text and background (a halo around marks) from the theme of the page. */
function themeOf(element, context) {
  const style = getComputedStyle(element);
  const halo = hexColour(context, style.getPropertyValue("--st-background-color"), "#ffffff");
  const name = luminance(halo) < 0.5 ? "dark" : "light";
  const text = hexColour(context, style.getPropertyValue("--st-text-color"), SETTINGS.themes[name].text);
  return { ...SETTINGS.themes[name], name, halo, text };
}

/** Any CSS colour as #rrggbb: the canvas normalises what it is given. */
function hexColour(context, colour, fallback) {
  context.fillStyle = fallback;
  context.fillStyle = colour.trim();
  return context.fillStyle.startsWith("#") ? context.fillStyle : fallback;
}

function luminance(hex) {
  const [red, green, blue] = channels(hex);
  return (0.3 * red + 0.6 * green + 0.1 * blue) / 255;
}

function channels(hex) {
  return [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));
}

/** A colour as the canvas stores a pixel: opaque, bytes in the order R G B A on a little-endian machine. */
function pixelOf(hex) {
  const [red, green, blue] = channels(hex);
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Paint the states of a view, one device pixel at a time. */
class StateRaster {
  constructor(rows, view, theme, width, height, density) {
    Object.assign(this, { rows, view, width, height, density });
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.line = new Uint8Array(width);
    this.colours = [0, ...theme.states.map(pixelOf)];
    this.hatched = [false, ...SETTINGS.hatched];
    this.hatchColour = pixelOf(theme.hatch);
    this.blockWidth = width / view.columns;
    this.rowHeight = height / view.lines;
  }

  paint() {
    const first = Math.max(0, Math.floor(this.view.y0));
    const stop = Math.min(this.rows.numTurns, Math.ceil(this.view.y1));
    let shownTop = -1;
    for (let row = first; row < stop; row++) {
      const band = this.bandOf(row);
      // Rows that share a line of pixels compete for it, like blocks that share a column.
      if (band.top !== shownTop) this.line.fill(0);
      this.rankRow(row);
      this.cutGrid(row);
      this.fillBand(band);
      shownTop = band.top;
    }
    return this.image;
  }

  /** The lines of pixels of a row, [top, stop). */
  bandOf(row) {
    const top = Math.max(0, Math.floor((row - this.view.y0) * this.rowHeight));
    const bottom = Math.floor((row + 1 - this.view.y0) * this.rowHeight);
    const gap = this.rowHeight >= GAP_ROW_HEIGHT * this.density ? Math.round(this.density) : 0;
    return { top, stop: Math.min(this.height, Math.max(top + 1, bottom - gap)) };
  }

  /** Mark every column of the line with the most alarming state that falls into it. */
  rankRow(row) {
    const { rows, view, line, blockWidth } = this;
    if (rows.numBlocks[row] === 0) return;
    const end = rows.runOffsets[row + 1];
    const firstBlock = Math.min(Math.floor(view.x0), rows.numBlocks[row] - 1);
    for (let run = runIndex(rows, row, firstBlock); run < end; run++) {
      const start = rows.runStarts[run];
      if (start >= view.x1) break;
      const state = rows.runStates[run] + 1;
      const rank = RANK_OF_PIXEL[state];
      const left = Math.max(0, Math.floor((start - view.x0) * blockWidth));
      const edge = Math.floor((runStop(rows, row, run) - view.x0) * blockWidth);
      const right = Math.min(this.width, Math.max(left + 1, edge));
      for (let x = left; x < right; x++) {
        if (rank >= RANK_OF_PIXEL[line[x]]) line[x] = state;
      }
    }
  }

  /** Leave a gap at the left edge of every block, where blocks are wide enough. */
  cutGrid(row) {
    if (this.blockWidth < GAP_BLOCK_WIDTH * this.density) return;
    const gap = Math.round(this.density);
    const stop = Math.min(this.view.x1, this.rows.numBlocks[row]);
    for (let block = Math.ceil(this.view.x0); block < stop; block++) {
      const left = Math.floor((block - this.view.x0) * this.blockWidth);
      this.line.fill(0, left, left + gap);
    }
  }

  fillBand({ top, stop }) {
    const { pixels, line, width, colours } = this;
    const start = top * width;
    let anyHatched = false;
    for (let x = 0; x < width; x++) {
      pixels[start + x] = colours[line[x]];
      anyHatched ||= this.hatched[line[x]];
    }
    for (let y = top + 1; y < stop; y++) pixels.copyWithin(y * width, start, start + width);
    if (anyHatched) this.hatchBand(top, stop);
  }

  hatchBand(top, stop) {
    const period = Math.round(HATCH_PERIOD * this.density);
    const stroke = HATCH_WIDTH * this.density;
    for (let y = top; y < stop; y++) {
      for (let x = 0; x < this.width; x++) {
        if (this.hatched[this.line[x]] && (x + y) % period < stroke) {
          this.pixels[y * this.width + x] = this.hatchColour;
        }
      }
    }
  }
}

/** Give a canvas as many pixels as the screen has for it; the context then works in CSS pixels. */
function fitCanvas(canvas, width, height, density) {
  const pixelWidth = Math.round(width * density);
  const pixelHeight = Math.round(height * density);
  if (canvas.width !== pixelWidth) canvas.width = pixelWidth;
  if (canvas.height !== pixelHeight) canvas.height = pixelHeight;
  const context = canvas.getContext("2d");
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

/** The states of a view as an image for this many CSS pixels. */
function statesImage(rows, view, theme, { width, height }, density) {
  const pixelWidth = Math.max(1, Math.round(width * density));
  const pixelHeight = Math.max(1, Math.round(height * density));
  return new StateRaster(rows, view, theme, pixelWidth, pixelHeight, density).paint();
}
