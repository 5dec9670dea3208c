// The keys that work on every page, and the dialog that lists all of them.

const SECOND_KEY = 1500; // milliseconds in which the letter after g counts

/** Where an event began, through the shadow roots of components. */
const origin = (event) => event.composedPath()[0];

function takesText(element) {
  if (!(element instanceof Element)) return false;
  if (element.closest("textarea, select, [contenteditable=''], [contenteditable=true], [role=textbox]")) return true;
  return element.matches("input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=range])");
}

/** A dialog or a menu of the page is open: what is below it is not there. */
const isCovered = () => document.querySelector("[role=dialog], [role=menu], [role=listbox]") !== null;

class KeyMap {
  constructor(root) {
    this.dialog = root.querySelector("dialog");
    this.wentAt = -Infinity; // when g was pressed
    root.querySelector(".show").onclick = () => this.show();
    root.querySelector(".close").onclick = () => this.dialog.close();
    this.dialog.onclick = (event) => event.target === this.dialog && this.dialog.close();
    // Everything that is pressed while the dialog is open belongs to it.
    this.dialog.onkeydown = (event) => this.onOwnKey(event);
  }

  listen() {
    this.listening?.abort();
    this.listening = new AbortController();
    // Before Streamlit, which has single letters of its own.
    window.addEventListener("keydown", (event) => this.onKey(event), { capture: true, signal: this.listening.signal });
  }

  show() {
    if (!this.dialog.open) this.dialog.showModal();
  }

  onOwnKey(event) {
    if (event.key === "?") this.dialog.close();
    event.stopPropagation();
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (this.dialog.open || takesText(origin(event)) || isCovered()) return;
    const isSecond = performance.now() - this.wentAt < SECOND_KEY;
    if (event.key !== "Shift") this.wentAt = -Infinity;
    if (!this.act(event.key, isSecond)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** Do what a key says; whether it says anything. */
  act(key, isSecond) {
    if (isSecond && PAGES[key]) return goTo(PAGES[key]);
    if (key === "g") this.wentAt = performance.now();
    else if (key === "?") this.show();
    else if (key !== "/" || !search()) return false;
    return true;
  }

  dispose() {
    this.listening?.abort();
  }
}

/** Follow the link of a page as a click does; whether there is one. */
function goTo(title) {
  const links = [...document.querySelectorAll("header nav a")];
  const link = links.find((one) => one.textContent.trim() === title);
  link?.click();
  return link !== undefined;
}

function search() {
  const field = document.querySelector("input[aria-label=Search]");
  field?.focus();
  field?.select();
  return field !== null;
}

export default function mount({ parentElement }) {
  const root = parentElement.querySelector(".key-map");
  root.keyMap ??= new KeyMap(root);
  root.keyMap.listen();
  return () => root.keyMap.dispose();
}
