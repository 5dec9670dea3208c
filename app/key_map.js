// The keys that work on every page, and the dialog that lists all of them.

const SECOND_KEY = 1500; // milliseconds in which the letter after g counts
const MOVES = new Set(["Tab", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"]);

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
    if (staysShut(event)) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.isComposing) return;
    if (this.dialog.open || takesText(origin(event)) || isCovered()) return;
    if (event.key === "j" && origin(event).matches("[role=listbox]")) return;
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
    else if (key === "j") return toList();
    else if (key !== "/" || !search()) return false;
    return true;
  }

  dispose() {
    this.listening?.abort();
  }
}

/**
 * A table that opens what is clicked would open its first row when Tab comes to it, and the next one at an arrow: Tab
 * passes it, and it hears no key.  Whether a key was kept from it.
 */
function staysShut(event) {
  if (event.key === "Tab") for (const table of document.querySelectorAll(OPENING)) table.tabIndex = -1;
  const target = origin(event);
  if (!(target instanceof Element) || !target.matches(OPENING) || !MOVES.has(event.key)) return false;
  event.stopImmediatePropagation();
  return true;
}

/** To the list of rows; whether the page has one. */
function toList() {
  return !document.dispatchEvent(new CustomEvent("whymiss:rows", { cancelable: true }));
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
  const offline = new Offline();
  return () => {
    root.keyMap.dispose();
    offline.dispose();
  };
}
