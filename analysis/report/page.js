"use strict";
// The map tells what is under the pointer and can be walked with the keys n and p.  Everything it says is on the page too.
for (const map of document.querySelectorAll(".map")) {
  const told = map.parentElement.querySelector(".told");
  const rows = [...map.querySelectorAll(".row")];
  const words = JSON.parse(map.dataset.words);
  const blocks = Number(map.dataset.blocks);
  const left = Number(map.dataset.left);
  const width = Number(map.dataset.width);
  const at = (row, block) => {
    let stop = 0;
    for (const [, sign, length] of row.dataset.runs.matchAll(/([a-z])(\d+)/g)) {
      stop += Number(length);
      if (block < stop) return words[sign];
    }
    return "behind the end of the prompt";
  };
  const say = (text) => { told.textContent = text; };
  for (const row of rows) {
    row.addEventListener("pointermove", (event) => {
      const box = map.getBoundingClientRect();
      const x = (event.clientX - box.left) * map.viewBox.baseVal.width / box.width - left;
      const block = Math.floor(x / width * blocks);
      if (block < 0 || block >= blocks) return;
      say(`Turn ${row.dataset.turn} · block ${block.toLocaleString("en")} · ${at(row, block)}`);
    });
    row.addEventListener("focus", () => say(row.getAttribute("aria-label")));
  }
  map.addEventListener("keydown", (event) => {
    const step = { n: 1, p: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    const here = rows.indexOf(document.activeElement);
    const marked = event.key.length === 1;
    for (let next = here + step; next >= 0 && next < rows.length; next += step) {
      if (marked && !("diverged" in rows[next].dataset)) continue;
      rows[next].focus();
      break;
    }
    event.preventDefault();
  });
}
