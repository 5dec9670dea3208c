// What Streamlit says of a server that is gone covers the page and names no remedy: the line of the shell says it all.

const GONE = "Connection error"; // the title of Streamlit's dialog, which does not come again once it was closed

class Offline {
  constructor() {
    this.observer = new MutationObserver(() => this.close());
    this.observer.observe(document.body, { childList: true });
  }

  close() {
    const titles = [...document.querySelectorAll("[data-testid=stDialog] h2")];
    const title = titles.find((one) => one.textContent.trim() === GONE);
    title?.closest("[role=dialog]").querySelector("button[aria-label=Close]").click();
  }

  dispose() {
    this.observer.disconnect();
  }
}
