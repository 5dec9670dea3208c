// The rows of a table as a list of the page's own: the keyboard moves in it, Enter opens, Space ticks.

const MOVES = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };

class RowList {
  constructor(root) {
    this.list = document.createElement("ul");
    this.list.id = "rows";
    this.list.tabIndex = 0;
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-keyshortcuts", "j");
    this.note = document.createElement("p");
    this.help = document.createElement("p");
    this.help.id = "help";
    this.list.setAttribute("aria-describedby", "help");
    root.append(this.list, this.note, this.help);
    this.rows = [];
    this.ticked = new Set();
    this.at = 0; // the row where the keyboard is
    this.number = 0; // of the ticks that were sent last
    this.list.onkeydown = (event) => this.onKey(event);
    this.list.onclick = (event) => this.onClick(event);
    this.list.onfocus = () => this.moveTo(this.at);
  }

  /** Take over what a run of the page sent, but ticks only when it has heard of the last ones. */
  update({ rows, ticked, label, keys, more, answered }, send) {
    this.send = send;
    this.canTick = ticked !== null;
    this.list.setAttribute("aria-label", label);
    this.list.setAttribute("aria-multiselectable", String(this.canTick));
    this.note.textContent = more;
    this.help.innerHTML = keys; // of our own making
    const here = this.rows[this.at]?.[0];
    if (JSON.stringify(rows) !== JSON.stringify(this.rows)) {
      this.rows = rows;
      this.list.replaceChildren(...rows.map(option));
      this.at = Math.max(0, rows.findIndex(([key]) => key === here));
    }
    if (answered >= this.number) this.ticked = new Set(ticked ?? []);
    this.show();
    this.listen();
  }

  /** The keys that lead here from anywhere on the page. */
  listen() {
    this.listening?.abort();
    this.listening = new AbortController();
    const { signal } = this.listening;
    document.addEventListener("whymiss:rows", (event) => this.onCall(event), { signal });
  }

  /** Come, unless another list has. */
  onCall(event) {
    if (event.defaultPrevented || this.rows.length === 0) return;
    event.preventDefault();
    this.list.focus();
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (key in MOVES) this.moveTo(this.at + MOVES[key]);
    else if (key === "Enter") this.open();
    else if (key === "Escape") this.list.blur();
    else if (this.canTick && (key === " " || key === "x")) this.tick();
    else if (this.canTick && key === "c") this.send("compare", { keys: [...this.ticked] });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  onClick(event) {
    const index = [...this.list.children].indexOf(event.target.closest("li"));
    if (index < 0) return;
    this.moveTo(index);
    if (this.canTick) this.tick();
    else this.open();
  }

  open() {
    this.send("open", { keys: [this.rows[this.at][0]] });
  }

  moveTo(index) {
    this.at = Math.max(0, Math.min(this.rows.length - 1, index));
    this.show();
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
  }

  tick() {
    const key = this.rows[this.at][0];
    if (!this.ticked.delete(key)) this.ticked.add(key);
    this.number += 1;
    this.show();
    this.send("tick", { keys: [...this.ticked], number: this.number });
  }

  show() {
    for (const [index, item] of [...this.list.children].entries()) {
      item.classList.toggle("at", index === this.at);
      item.setAttribute("aria-selected", String(this.canTick ? this.ticked.has(this.rows[index][0]) : index === this.at));
    }
    this.list.setAttribute("aria-activedescendant", `row-${this.rows[this.at]?.[0]}`);
  }

  dispose() {
    this.listening?.abort();
  }
}

/** A row as an option; names are untrusted and stay text. */
function option([key, ...texts]) {
  const item = document.createElement("li");
  item.id = `row-${key}`;
  item.setAttribute("role", "option");
  const parts = texts.map((text) => Object.assign(document.createElement("span"), { textContent: text }));
  item.append(...parts.flatMap((part, index) => (index ? [" ", part] : [part])));
  return item;
}

export default function mount({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".row-list");
  root.rowList ??= new RowList(root);
  root.rowList.update(data, (name, value) => setTriggerValue(name, value));
  return () => root.rowList.dispose();
}
