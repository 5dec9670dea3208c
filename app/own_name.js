// The name of who writes, as this browser keeps it: there again after a reload, and gone when it is taken back.

const KEY = "whymiss.author";
let told = null; // who was told what was kept: each that asks is, once, whether it takes the name or not

/** Do something with what the browser keeps; one that is told to keep nothing forgets the name, and that is all. */
function inStorage(work) {
  try {
    return work(window.localStorage);
  } catch (error) {
    if (error instanceof DOMException) return null; // storage is forbidden, or full
    throw error;
  }
}

export default function mount({ data, setTriggerValue }) {
  if (data.name) {
    inStorage((storage) => storage.setItem(KEY, data.name));
  } else if (data.forget) {
    inStorage((storage) => storage.removeItem(KEY));
  } else if (told !== data.asks) {
    const kept = inStorage((storage) => storage.getItem(KEY));
    if (kept?.trim()) setTriggerValue("name", kept);
  }
  told = data.asks;
}
