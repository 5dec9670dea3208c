// The map itself: keeps the view and the picked cell, and has them drawn.

const KEY_STEP = 8; // CSS pixels, so that an arrow key always moves visibly

class BlockMap {
  constructor(root) {
    this.root = root;
    const find = (selector) => root.querySelector(selector);
    this.canvas = find(".map");
    this.stage = find(".stage");
    this.tip = find(".tip");
    this.extent = find(".extent");
    this.legend = find(".legend");
    this.spoken = find(".spoken");
    this.minimap = new Minimap(find(".minimap"), (x, y) => this.centreOn(x, y));
    this.buttons = {
      previous: find(".previous"),
      next: find(".next"),
      whole: find(".whole"),
      picture: find(".picture"),
    };
    this.rows = null;
    this.annotated = []; // cells with their number of annotations
    this.annotatedFlat = []; // as it came, to notice when it changes
    this.picked = null; // cell
    this.cursor = null; // cell, where the keyboard is
    this.pagePick = undefined; // what the page said last, to notice when it says something new
    this.sentPicks = []; // not yet confirmed by the page
    this.frame = 0;
    this.sendPick = () => {};
    this.observer = new ResizeObserver(() => this.requestDraw());
    this.input = new MapInput(this);
  }

  /** Take over what a run of the page sent: new rows, a pick from outside, or nothing new at all. */
  update(message, sendPick) {
    this.sendPick = sendPick;
    this.observer.observe(this.stage);
    const { picked, annotated, rows } = splitMessage(message);
    const isNewSession = this.rows === null || !sameBytes(rows, this.rows.bytes);
    if (isNewSession) this.showRows(decodeRows(rows));
    this.showAnnotated(annotated, isNewSession);
    this.followPage(picked, isNewSession);
    this.requestDraw();
  }

  showRows(rows) {
    const sameSize = this.rows && this.rows.numTurns === rows.numTurns && this.rows.maxBlocks === rows.maxBlocks;
    this.rows = rows;
    if (!sameSize) this.view = new Viewport(rows.maxBlocks, rows.numTurns);
    this.cursor = null;
    const hasDivergences = rows.divergences.length > 0;
    this.buttons.previous.disabled = !hasDivergences;
    this.buttons.next.disabled = !hasDivergences;
  }

  showAnnotated(flat, isNewSession) {
    if (sameBytes(flat, this.annotatedFlat) && !isNewSession) return;
    this.annotatedFlat = flat;
    this.annotated = annotatedCells(this.rows, flat);
    this.legendRows = null;
    this.canvas.setAttribute("aria-label", mapLabel(this.rows, this.annotated));
  }

  /** Select what the page asks for, unless it only confirms, perhaps late, what was picked here. */
  followPage(pick, isNewSession) {
    const name = pick ? `${pick.turn}/${pick.block}` : "";
    const confirmed = this.sentPicks.indexOf(name);
    if (confirmed >= 0) this.sentPicks.splice(0, confirmed + 1);
    const isNews = name !== this.pagePick && confirmed < 0;
    this.pagePick = name;
    if (!isNews && !isNewSession) return;
    this.picked = cellOfPick(this.rows, pick);
    if (this.picked) this.reveal(this.picked);
  }

  reveal(cell) {
    this.cursor = cell;
    this.view.reveal(cell, this.layout());
  }

  layout() {
    return plotLayout(this.rows.numTurns, this.stage.clientWidth);
  }

  scale() {
    return new Scale(this.view, this.layout());
  }

  // Picking

  pick(cell, mode = "stay") {
    if (!hasCell(this.rows, cell)) return;
    this.picked = cell;
    if (mode === "reveal") this.reveal(cell);
    this.cursor = cell;
    this.spoken.textContent = announceCell(this.rows, cell, "Picked", this.annotated);
    const turn = this.rows.turnNumbers[cell.row];
    this.sentPicks.push(`${turn}/${cell.block}`);
    this.requestDraw();
    this.sendPick({ turn, block: cell.block });
  }

  pickDivergence(direction) {
    const cell = neighbourDivergence(this.rows, this.picked, direction);
    if (cell) this.pick(cell, "reveal");
    else this.spoken.textContent = `No ${direction > 0 ? "later" : "earlier"} divergence`;
  }

  showWhole() {
    this.view.showAll();
    this.requestDraw();
  }

  /** Save what is in view as a picture. */
  save() {
    const { rows, view, picked, annotated } = this;
    const theme = themeOf(this.root, this.canvas.getContext("2d"));
    savePicture(pictureOf(rows, view, theme, { picked, annotated, cursor: null }));
    this.spoken.textContent = `The map is saved as ${PICTURE_NAME}`;
  }

  centreOn(x, y) {
    this.view.centreOn(x, y);
    this.requestDraw();
  }

  /** Let the view begin at this block and row. */
  moveTo(x, y) {
    this.view.place(x, y, this.view.columns, this.view.lines);
    this.requestDraw();
  }

  zoom(factorX, factorY, fractionX = 0.5, fractionY = 0.5) {
    this.view.zoom(fractionX, fractionY, factorX, factorY);
    this.requestDraw();
  }

  /** Move the keyboard's cursor by one visible step and keep it in view. */
  moveCursor(stepX, stepY) {
    const { rows, view } = this;
    const scale = this.scale();
    const centre = { row: Math.floor((view.y0 + view.y1) / 2), block: Math.floor((view.x0 + view.x1) / 2) };
    const from = this.cursor && view.holds(this.cursor) ? this.cursor : centre;
    const row = from.row + stepY * Math.max(1, Math.round(KEY_STEP / scale.rowHeight));
    const block = from.block + stepX * Math.max(1, Math.round(KEY_STEP / scale.blockWidth));
    const shownRow = Math.max(0, Math.min(rows.numTurns - 1, row));
    const lastBlock = Math.max(0, rows.numBlocks[shownRow] - 1);
    this.cursor = { row: shownRow, block: Math.max(0, Math.min(lastBlock, block)) };
    view.follow(this.cursor);
    if (hasCell(rows, this.cursor)) this.spoken.textContent = announceCell(rows, this.cursor, "At", this.annotated);
    this.requestDraw();
  }

  /** The diamond, the annotation or else the cell at a point on the canvas, in CSS pixels. */
  cellAt({ x, y }) {
    const scale = this.scale();
    const cell = diamondAt(this.rows, scale, x, y) ?? bubbleAt(this.annotated, scale, x, y) ?? scale.cellAt(x, y);
    return hasCell(this.rows, cell) ? cell : null;
  }

  /** Show what is at a point, and that it can be clicked. */
  hover(point) {
    const cell = this.cellAt(point);
    this.canvas.style.cursor = cell ? "pointer" : "default";
    if (!cell) this.tip.hidden = true;
    else showTip(this.tip, describeCell(this.rows, cell, this.annotated), point.x, point.y, this.stage.clientWidth);
  }

  // Drawing

  requestDraw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.rows && this.stage.clientWidth > 0) this.draw();
    });
  }

  draw() {
    const started = performance.now();
    const density = window.devicePixelRatio || 1;
    const scale = this.scale();
    const theme = themeOf(this.root, this.canvas.getContext("2d"));
    this.drawMap(scale, theme, density);
    this.minimap.draw(this.rows, this.view, theme, scale.layout, density);
    this.extent.textContent = extentText(this.rows, this.view);
    this.drawLegend(theme);
    this.expose(scale.layout, theme, performance.now() - started);
  }

  drawMap(scale, theme, density) {
    const { rows, view, canvas, picked, annotated } = this;
    const { layout } = scale;
    canvas.style.height = `${layout.canvasHeight}px`;
    const context = fitCanvas(canvas, this.stage.clientWidth, layout.canvasHeight, density);
    const image = statesImage(rows, view, theme, layout, density);
    context.putImageData(image, Math.round(layout.left * density), Math.round(layout.top * density));
    drawMarks(context, rows, scale, theme, { picked, annotated, cursor: this.hasFocus() ? this.cursor : null });
  }

  drawLegend(theme) {
    if (this.legendTheme === theme.name && this.legendRows === this.rows) return;
    fillLegend(this.legend, this.rows, theme, this.annotated);
    this.legendTheme = theme.name;
    this.legendRows = this.rows;
  }

  hasFocus() {
    return this.root.getRootNode().activeElement === this.canvas;
  }

  /** Publish what a test in a browser needs to find cells and to see the state of the map. */
  expose(layout, theme, milliseconds) {
    const turn = this.picked ? this.rows.turnNumbers[this.picked.row] : null;
    Object.assign(this.root.dataset, {
      drawMs: milliseconds.toFixed(1),
      view: String(this.view),
      picked: this.picked ? `${turn},${this.picked.block}` : "",
      layout: JSON.stringify(layout),
      theme: theme.name,
      ready: "1",
    });
  }

  dispose() {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
  }
}

/** Streamlit calls this on every run of the page and when its theme changes; the map lives as long as its markup. */
export default function mount({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".block-map");
  root.blockMap ??= new BlockMap(root);
  root.blockMap.update(data, (pick) => setTriggerValue("pick", pick));
  return () => root.blockMap.dispose();
}
