// A tap: sent once, answered where it was tapped, and told of when it is done.
import { enliven, isShown, moved } from "./forms.js";
import { over, refresh } from "./live.js";
import { open, panelled, question } from "./panel.js";
import { UNREACHED, body, json, sent } from "./requests.js";
import { changing, named } from "./settling.js";

const main = document.getElementById("main"), panel = document.getElementById("panel");

addEventListener("pageshow", () => { for (const form of document.querySelectorAll("form[data-busy]")) delete form.dataset.busy; });
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (form.getAttribute("action") === "/look" && panel.contains(form)) { event.preventDefault(); panelled(sent("/look", body(form))); return; }
  if (form.getAttribute("action") !== "/do") return;
  event.preventDefault();
  if (form.matches(".fields") && !event.submitter?.closest(".matter") && !(await isShown(form))) return;
  const content = body(form), chosen = event.submitter, line = content.get("line") || "";
  if (form.dataset.busy !== undefined) {
    // the same is on its way already; another line is next, once that one is done
    if (form.dataset.busy !== line) form.dataset.next = line;
    return;
  }
  const part = form.closest("section[data-part]");
  if (part && taps.has(part)) {
    // one tap after another: what is tapped meanwhile waits for what the first one leads to
    if (!taps.get(part).next) {
      taps.get(part).next = chosen;
      part.dataset.full = "";
      chosen?.setAttribute("data-tapped", "");
    }
    return;
  }
  form.dataset.busy = line;
  const asked = part?.dataset.held !== undefined;
  if (part) {
    taps.set(part, {});
    part.dataset.held = "";
    chosen?.setAttribute("data-tapped", "");
  }
  let goesOn = false, isAsked = false, problem = "";
  try {
    if (chosen?.name) content.append(chosen.name, chosen.value);
    if (chosen?.dataset.fingerprint) content.set("fingerprint", chosen.dataset.fingerprint);
    const answer = await sent("/do", content, json);
    if (answer.headers.get("content-type")?.startsWith("application/json")) {
      const reply = await answer.json();
      const typing = panel.contains(form) ? question?.form : form;
      if (answer.ok && reply.done) recorded(typing, typing === form ? line : question?.line, reply.done);
      if (answer.status === 401) over("revoked");
      else if (!answer.ok) problem = reply.problem;
      else if (reply.asked) {
        isAsked = true;
        asks(part, reply.asked, form, content);
        // where that is answered with Not now, the form below says what it comes to by then
        if (form.matches("#line-form, .fields")) form.dispatchEvent(new Event("again"));
      } else {
        goesOn = Boolean(main.dataset.live) && !reply.to;
        if (goesOn) panel.close();
        else {
          leave(reply.to);
          return; // the form stays busy for as long as its page is still there
        }
      }
    } else if (answer.redirected) {
      location.assign(answer.url);
    } else {
      // something has to be filled in: the answer is a page of its own
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      changing(() => {
        document.title = page.title;
        main.removeAttribute("data-live");
        main.replaceChildren(...page.getElementById("main").childNodes);
        panel.close();
      });
      history.pushState(null, "", answer.headers.get("content-location"));
      moved();
      main.querySelector("h1")?.setAttribute("tabindex", "-1");
      main.querySelector("h1")?.focus();
      scrollTo(0, 0);
      enliven(main, true);
    }
  } catch {
    problem = UNREACHED;
  }
  if (part) tapped(part, problem, isAsked || (problem && asked));
  if (problem && part?.old && part.dataset.held === undefined) await refresh();
  if (problem) say(form.isConnected ? form : successor(part), problem).classList.toggle("unreached", problem === UNREACHED);
  const next = form.dataset.next;
  delete form.dataset.busy;
  delete form.dataset.next;
  if (goesOn && next && form.elements.line.value === next) form.requestSubmit();
  // nobody waits for the table to be fetched before the next line
  if (goesOn) await refresh();
});
// what was typed is done: what was typed since stays, and the same line once more is another turn
export function recorded(form, line, turns) {
  if (form?.id !== "line-form") return;
  if (form.elements.line.value === line) form.reset();
  form.elements.at.value = Math.max(form.elements.at.value, ...turns.map((turn) => turn.turn));
}
// what was filled in is done: back to the table, or on
export function leave(to) {
  sessionStorage.removeItem(`form ${location.pathname}`);
  location.assign(to || "/");
}
// the parts of the page in which a tap is on its way, each with the button that was tapped after it
const taps = new Map();
// a tap has its answer: the one that waited for it follows, in the question where that asks for the same card
function tapped(part, problem, open) {
  const { next } = taps.get(part);
  taps.delete(part);
  delete part.dataset.full;
  for (const button of part.querySelectorAll("[data-tapped]")) button.removeAttribute("data-tapped");
  if (!open) delete part.dataset.held;
  if (problem || !next) return;
  const same = next.isConnected ? next : [...part.querySelectorAll("button")].find((candidate) => named(candidate) === named(next));
  same?.form.requestSubmit(same);
}
// what is asked first is answered where it was tapped; nothing else on the page moves, and the cards stay in place
function asks(part, html, form, tap) {
  changing(() => {
    const made = document.createElement("template");
    made.innerHTML = html;
    if (part && !panel.open) {
      const stood = part.querySelector(".cards")?.getBoundingClientRect().top;
      part.replaceChildren(made.content);
      const cards = part.querySelector(".cards"), moved = cards && stood !== undefined ? cards.getBoundingClientRect().top - stood : 0;
      if (moved < 0) cards.style.marginTop = `${-moved}px`; else scrollBy(0, moved);
    } else open(made.content, form, tap);
    const first = (panel.open ? panel : part)?.querySelector(".why");
    first?.setAttribute("tabindex", "-1");
    first?.focus({ preventScroll: true });
  });
}
// what stands on the page now for a part that is gone
export function successor(part) {
  const parts = [...document.querySelectorAll("#now [data-part]:not(.column)")];
  return parts.find((candidate) => candidate.dataset.part === part?.dataset.part) || parts[0] || main;
}
export function say(place, sentence) {
  return changing(() => {
    let message = place.querySelector(".would");
    if (!message) {
      message = document.createElement("p");
      message.className = "would";
      message.setAttribute("role", "alert");
      place.append(message);
    }
    message.classList.add("refused");
    message.classList.remove("old");
    message.textContent = sentence;
    return message;
  });
}
