// The map itself: keeps the view and the picked cell, turns input into them, and has it drawn.

const CLICK_SLACK = 4; // CSS pixels a click may wander before it is a drag
const WHEEL_STEP = 1.25;
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
    this.drag = null;
    this.frame = 0;
    this.sendPick = () => {};
    this.observer = new ResizeObserver(() => this.requestDraw());
    this.listen();
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

  // Input

  listen() {
    this.buttons.previous.onclick = () => this.pickDivergence(-1);
    this.buttons.next.onclick = () => this.pickDivergence(1);
    this.buttons.whole.onclick = () => this.showWhole();
    this.buttons.picture.onclick = () => this.save();
    this.canvas.onkeydown = (event) => this.onKey(event);
    this.canvas.onfocus = () => this.requestDraw();
    this.canvas.onblur = () => this.requestDraw();
    this.canvas.onpointerdown = (event) => this.onPointerDown(event);
    this.canvas.onpointermove = (event) => this.onPointerMove(event);
    this.canvas.onpointerup = (event) => this.onPointerUp(event);
    this.canvas.onpointercancel = () => this.endDrag();
    this.canvas.onpointerleave = () => (this.tip.hidden = true);
    this.canvas.ondblclick = (event) => this.onDoubleClick(event);
    // Not passive: the wheel zooms here and must not scroll the page as well.
    this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const far = event.shiftKey ? 10 : 1;
    const actions = {
      n: () => this.pickDivergence(1),
      p: () => this.pickDivergence(-1),
      "+": () => this.zoom(0.7, 0.8),
      "=": () => this.zoom(0.7, 0.8),
      "-": () => this.zoom(1 / 0.7, 1 / 0.8),
      0: () => this.showWhole(),
      ArrowLeft: () => this.moveCursor(-far, 0),
      ArrowRight: () => this.moveCursor(far, 0),
      ArrowUp: () => this.moveCursor(0, -far),
      ArrowDown: () => this.moveCursor(0, far),
      Enter: () => this.cursor && this.pick(this.cursor),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  /** Where an event is: in CSS pixels on the canvas, and as fractions of the plot. */
  point(event) {
    const bounds = this.canvas.getBoundingClientRect();
    const layout = this.layout();
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top;
    return { x, y, fractionX: (x - layout.left) / layout.width, fractionY: (y - layout.top) / layout.height };
  }

  /** The diamond, the annotation or else the cell at a point. */
  cellAt({ x, y }) {
    const scale = this.scale();
    const cell = diamondAt(this.rows, scale, x, y) ?? bubbleAt(this.annotated, scale, x, y) ?? scale.cellAt(x, y);
    return hasCell(this.rows, cell) ? cell : null;
  }

  onPointerDown(event) {
    if (event.button !== 0) return;
    this.canvas.focus({ preventScroll: true }); // a scroll between press and release would pick another cell
    this.canvas.setPointerCapture(event.pointerId);
    const { x0, y0 } = this.view;
    this.drag = { x: event.clientX, y: event.clientY, x0, y0, isPan: false };
  }

  onPointerMove(event) {
    if (this.drag) this.pan(event);
    else this.hover(event);
  }

  pan(event) {
    const { drag, view } = this;
    const deltaX = event.clientX - drag.x;
    const deltaY = event.clientY - drag.y;
    if (Math.abs(deltaX) + Math.abs(deltaY) > CLICK_SLACK) drag.isPan = true;
    if (!drag.isPan) return;
    const scale = this.scale();
    const x = drag.x0 - deltaX / scale.blockWidth;
    const y = drag.y0 - deltaY / scale.rowHeight;
    view.place(x, y, view.columns, view.lines);
    this.tip.hidden = true;
    this.canvas.style.cursor = "grabbing";
    this.requestDraw();
  }

  hover(event) {
    const point = this.point(event);
    const cell = this.cellAt(point);
    this.canvas.style.cursor = cell ? "pointer" : "default";
    if (!cell) this.tip.hidden = true;
    else showTip(this.tip, describeCell(this.rows, cell, this.annotated), point.x, point.y, this.stage.clientWidth);
  }

  onPointerUp(event) {
    const wasClick = this.drag && !this.drag.isPan;
    this.endDrag();
    const cell = wasClick ? this.cellAt(this.point(event)) : null;
    // The second click of a double click finds the cell picked already.
    if (cell && !sameCell(cell, this.picked)) this.pick(cell);
  }

  endDrag() {
    this.drag = null;
    this.canvas.style.cursor = "default";
  }

  onDoubleClick(event) {
    const { fractionX, fractionY } = this.point(event);
    this.zoom(0.25, 0.4, fractionX, fractionY);
  }

  onWheel(event) {
    const zoomsIn = event.deltaY < 0;
    if (!(event.ctrlKey || event.metaKey || this.hasFocus()) || event.deltaY === 0) return;
    // Zoomed out already, the wheel belongs to the page again.
    if (!zoomsIn && this.view.isWhole && !event.ctrlKey) return;
    event.preventDefault();
    const { fractionX, fractionY } = this.point(event);
    const factor = zoomsIn ? 1 / WHEEL_STEP : WHEEL_STEP;
    this.zoom(factor, event.shiftKey ? 1 : Math.sqrt(factor), fractionX, fractionY);
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
