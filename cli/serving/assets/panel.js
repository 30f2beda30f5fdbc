// A figure that is touched, and whatever else is asked over the page.
import { enliven } from "./forms.js";
import { refresh } from "./live.js";
import { body, json, sent } from "./requests.js";
import { changing } from "./settling.js";
import { stands } from "./standing.js";
import { leave, recorded, say, successor } from "./taps.js";

const panel = document.getElementById("panel");
const OVER = "The table has moved on, so that question is over. Send it again if it still holds.", ANSWERED = "That question has its answer:";

// what is asked over the page: the form it was asked of, with the line that was typed there, and what was sent for it
export let question = null;
export function open(content, form = null, tap = null) {
  const first = panel.contains(form) && question || { form, line: form?.elements.line?.value };
  panel.replaceChildren(content);
  question = tap && { ...first, tap, says: panel.textContent };
  if (!panel.open) panel.showModal();
  enliven(panel);
}
document.addEventListener("click", async (event) => {
  const touched = event.target.closest?.("a[data-panel]"), shut = event.target.closest?.("[data-close]");
  if (shut) {
    event.preventDefault();
    withdraw(shut);
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
// a turn that comes from elsewhere may answer what is asked here, or make it another question: then it is over
document.addEventListener("turn", async () => {
  const asked = question;
  const isOpen = () => panel.open && asked && asked === question && !panel.querySelector("form[data-busy]");
  // what is to be confirmed, or completes a line, is asked anew where it is something else by the time it is tapped
  if (!isOpen() || !panel.querySelector("[name=answer]")) return;
  const made = document.createElement("template");
  let done;
  // what was turned over is settled by an answer or by a turn, whatever that is
  if (panel.querySelector("[data-close]")) {
    try {
      const answer = await sent("/asked", asked.tap, json);
      if (!answer.ok) return;
      const reply = await answer.json();
      made.innerHTML = reply.asked || "";
      done = reply.done;
    } catch { return; }
  }
  if (!isOpen() || (!done && made.content.textContent === asked.says)) return;
  changing(() => panel.close());
  // what its form showed of it is over, too
  const { form, line } = asked;
  form.dispatchEvent(new Event("over"));
  const place = form.isConnected ? form : successor();
  if (!done) { say(place, OVER); return; }
  if (form.matches(".fields")) { leave(); return; }
  recorded(form, line, done);
  say(place, [ANSWERED, ...done.map((turn) => turn.sentence)].join(" ")).classList.remove("refused");
});
// whichever way it is left, it goes from the phone of the player whom it is about, too
function withdraw(out) {
  if (out?.form) sent(out.form.action, body(out.form), json).catch(() => stands("offline"));
}
panel?.addEventListener("cancel", () => withdraw(panel.querySelector("[data-close]")));
panel?.addEventListener("click", (event) => {
  if (event.target !== panel) return;
  withdraw(panel.querySelector("[data-close]"));
  panel.close();
});
