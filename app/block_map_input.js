// What a person does: keys, pointer and wheel as they come, told to the map as what they mean.

const CLICK_SLACK = 4; // CSS pixels a click may wander before it is a drag
const WHEEL_STEP = 1.25;

class MapInput {
  /** Listen to the canvas and the buttons of a map. */
  constructor(map) {
    this.map = map;
    this.drag = null;
    const { buttons, canvas } = map;
    buttons.previous.onclick = () => map.pickDivergence(-1);
    buttons.next.onclick = () => map.pickDivergence(1);
    buttons.whole.onclick = () => map.showWhole();
    buttons.picture.onclick = () => map.save();
    canvas.onkeydown = (event) => this.onKey(event);
    canvas.onfocus = () => map.requestDraw();
    canvas.onblur = () => map.requestDraw();
    canvas.onpointerdown = (event) => this.onPointerDown(event);
    canvas.onpointermove = (event) => this.onPointerMove(event);
    canvas.onpointerup = (event) => this.onPointerUp(event);
    canvas.onpointercancel = () => this.endDrag();
    canvas.onpointerleave = () => (map.tip.hidden = true);
    canvas.ondblclick = (event) => this.onDoubleClick(event);
    // Not passive: the wheel zooms here and must not scroll the page as well.
    canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { map } = this;
    const far = event.shiftKey ? 10 : 1;
    const actions = {
      n: () => map.pickDivergence(1),
      p: () => map.pickDivergence(-1),
      "+": () => map.zoom(0.7, 0.8),
      "=": () => map.zoom(0.7, 0.8),
      "-": () => map.zoom(1 / 0.7, 1 / 0.8),
      0: () => map.showWhole(),
      ArrowLeft: () => map.moveCursor(-far, 0),
      ArrowRight: () => map.moveCursor(far, 0),
      ArrowUp: () => map.moveCursor(0, -far),
      ArrowDown: () => map.moveCursor(0, far),
      Enter: () => map.cursor && map.pick(map.cursor),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  }

  /** Where an event is: in CSS pixels on the canvas, and as fractions of the plot. */
  point(event) {
    const bounds = this.map.canvas.getBoundingClientRect();
    const layout = this.map.layout();
    const x = event.clientX - bounds.left;
    const y = event.clientY - bounds.top;
    return { x, y, fractionX: (x - layout.left) / layout.width, fractionY: (y - layout.top) / layout.height };
  }

  onPointerDown(event) {
    if (event.button !== 0) return;
    const { canvas, view } = this.map;
    canvas.focus({ preventScroll: true }); // a scroll between press and release would pick another cell
    canvas.setPointerCapture(event.pointerId);
    this.drag = { x: event.clientX, y: event.clientY, x0: view.x0, y0: view.y0, isPan: false };
  }

  onPointerMove(event) {
    if (this.drag) this.pan(event);
    else this.map.hover(this.point(event));
  }

  pan(event) {
    const { drag, map } = this;
    const deltaX = event.clientX - drag.x;
    const deltaY = event.clientY - drag.y;
    if (Math.abs(deltaX) + Math.abs(deltaY) > CLICK_SLACK) drag.isPan = true;
    if (!drag.isPan) return;
    const scale = map.scale();
    map.moveTo(drag.x0 - deltaX / scale.blockWidth, drag.y0 - deltaY / scale.rowHeight);
    map.tip.hidden = true;
    map.canvas.style.cursor = "grabbing";
  }

  onPointerUp(event) {
    const { map } = this;
    const wasClick = this.drag && !this.drag.isPan;
    this.endDrag();
    const cell = wasClick ? map.cellAt(this.point(event)) : null;
    // The second click of a double click finds the cell picked already.
    if (cell && !sameCell(cell, map.picked)) map.pick(cell);
  }

  endDrag() {
    this.drag = null;
    this.map.canvas.style.cursor = "default";
  }

  onDoubleClick(event) {
    const { fractionX, fractionY } = this.point(event);
    this.map.zoom(0.25, 0.4, fractionX, fractionY);
  }

  onWheel(event) {
    const { map } = this;
    const zoomsIn = event.deltaY < 0;
    if (!(event.ctrlKey || event.metaKey || map.hasFocus()) || event.deltaY === 0) return;
    // Zoomed out already, the wheel belongs to the page again.
    if (!zoomsIn && map.view.isWhole && !event.ctrlKey) return;
    event.preventDefault();
    const { fractionX, fractionY } = this.point(event);
    const factor = zoomsIn ? 1 / WHEEL_STEP : WHEEL_STEP;
    map.zoom(factor, event.shiftKey ? 1 : Math.sqrt(factor), fractionX, fractionY);
  }
}
