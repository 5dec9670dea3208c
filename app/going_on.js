// Streamlit tells on the root of the page whether the server answers.

const STATE = "data-test-connection-state";

export default function mount({ parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".going-on");
  const app = document.querySelector("[data-testid=stApp]");
  let before = app.getAttribute(STATE);
  root.observer?.disconnect();
  root.observer = new MutationObserver(() => {
    const now = app.getAttribute(STATE);
    if (now === "CONNECTED" && before !== now) setTriggerValue("back", true);
    before = now;
  });
  root.observer.observe(app, { attributeFilter: [STATE] });
  return () => root.observer.disconnect();
}
