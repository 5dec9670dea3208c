// The minimap: the whole session in a strip, with a frame around what the map shows.

const MINIMAP_MIN_BLOCKS = 250; // smaller sessions are readable whole
const MINIMAP_MIN_TURNS = 30;
const MINIMAP_MAX_HEIGHT = 44; // CSS pixels

class Minimap {
  /** Call ``onMove`` with the point, in blocks and rows, that the user wants in the middle of the map. */
  constructor(canvas, onMove) {
    this.canvas = canvas;
    this.onMove = onMove;
    this.painted = null;
    canvas.onpointerdown = (event) => this.move(event);
    canvas.onpointermove = (event) => event.buttons & 1 && this.move(event);
  }

  move(event) {
    const bounds = this.canvas.getBoundingClientRect();
    const fractionX = (event.clientX - bounds.left) / bounds.width;
    const fractionY = (event.clientY - bounds.top) / bounds.height;
    this.onMove(fractionX * this.view.maxBlocks, fractionY * this.view.maxRows);
  }

  draw(rows, view, theme, layout, density) {
    const { canvas } = this;
    this.view = view;
    canvas.hidden = rows.maxBlocks < MINIMAP_MIN_BLOCKS && rows.numTurns < MINIMAP_MIN_TURNS;
    if (canvas.hidden) return;
    const size = { width: layout.width, height: Math.min(MINIMAP_MAX_HEIGHT, Math.max(12, rows.numTurns * 4)) };
    canvas.style.marginLeft = `${layout.left}px`;
    canvas.style.width = `${size.width}px`;
    canvas.style.height = `${size.height}px`;
    const context = fitCanvas(canvas, size.width, size.height, density);
    context.putImageData(this.image(rows, theme, size, density), 0, 0);
    drawFrame(context, view, theme, size.width, size.height);
  }

  /** The whole session, painted once and not on every move of the view. */
  image(rows, theme, size, density) {
    const name = [theme.name, size.width, size.height, density].join();
    if (this.painted?.name !== name || this.painted.rows !== rows) {
      const whole = new Viewport(rows.maxBlocks, rows.numTurns);
      this.painted = { name, rows, image: statesImage(rows, whole, theme, size, density) };
    }
    return this.painted.image;
  }
}

/** Dim what the minimap shows outside the view, and frame the view. */
function drawFrame(context, view, theme, width, height) {
  const columnWidth = width / view.maxBlocks;
  const lineHeight = height / view.maxRows;
  const left = view.x0 * columnWidth;
  const top = view.y0 * lineHeight;
  const frameWidth = Math.max(4, view.columns * columnWidth);
  const frameHeight = Math.max(4, view.lines * lineHeight);
  context.globalAlpha = 0.5;
  context.fillStyle = theme.halo;
  context.fillRect(0, 0, width, top);
  context.fillRect(0, top + frameHeight, width, height);
  context.fillRect(0, top, left, frameHeight);
  context.fillRect(left + frameWidth, top, width, frameHeight);
  context.globalAlpha = 1;
  context.strokeStyle = theme.text;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.75, top + 0.75, Math.max(2.5, frameWidth - 1.5), Math.max(2.5, frameHeight - 1.5));
}
