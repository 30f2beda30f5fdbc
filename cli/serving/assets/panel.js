// A figure that is touched, and whatever else is asked over the page.
import { enliven } from "./forms.js";
import { refresh } from "./live.js";
import { changing } from "./settling.js";
import { stands } from "./standing.js";

const panel = document.getElementById("panel");

export function open(content) {
  panel.replaceChildren(content);
  if (!panel.open) panel.showModal();
  enliven(panel);
}
document.addEventListener("click", async (event) => {
  const touched = event.target.closest?.("a[data-panel]"), shut = event.target.closest?.("[data-close]");
  if (shut) {
    event.preventDefault();
    const part = shut.closest("[data-held]");
    if (part) {
      delete part.dataset.held;
      part.replaceChildren();
      await refresh();
    }
    panel.close();
  } else if (touched && !event.defaultPrevented && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    panelled(fetch(touched.href, { credentials: "same-origin" }));
  }
});
export async function panelled(asked) {
  try {
    const answer = await asked;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const content = document.createDocumentFragment();
    content.append(...page.getElementById("main").childNodes);
    for (const link of content.querySelectorAll("a[href='/']")) link.dataset.close = "";
    changing(() => open(content));
  } catch { stands("offline"); }
}
panel?.addEventListener("click", (event) => { if (event.target === panel) panel.close(); });
