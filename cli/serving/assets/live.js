// An open page follows the table: it is patched where it changed, and each turn is read out once.
import { json } from "./requests.js";
import { changing } from "./settling.js";
import { isAt, stands } from "./standing.js";

const main = document.getElementById("main"), heard = document.getElementById("heard");
let seen = Number(main.dataset.turn || 0);

let fetching = false, again = false;
export async function refresh() {
  if (!main.dataset.live || isAt("revoked")) return;
  if (fetching) { again = true; return; }
  fetching = true;
  do {
    again = false;
    try {
      const answer = await fetch("/now", { credentials: "same-origin" });
      if (answer.status === 401) { over("revoked"); break; }
      const html = await answer.text();
      if (answer.ok) changing(() => put(html));
    } catch { /* the stream notices it too, and asks for the table when it is back */ }
  } while (again);
  fetching = false;
}
function put(html) {
  const now = document.getElementById("now");
  const made = document.createElement("template");
  made.innerHTML = html;
  const fresh = made.content.getElementById("now"), back = made.content.getElementById("back"), told = made.content.getElementById("told");
  if (!now || !fresh || Number(fresh.dataset.turn) < Number(now.dataset.turn)) return;
  const active = document.activeElement;
  const held = active?.closest?.("#now, #back") ? placed(active) : null;
  const parts = () => [...now.querySelectorAll("[data-part]:not(.column)")];
  const anchor = scrollY > 0 ? parts().find((part) => part.getBoundingClientRect().bottom > 48) : null;
  const top = anchor?.getBoundingClientRect().top, named = anchor?.dataset.part, asked = anchor?.matches("section.matter");
  patch(now, fresh);
  now.dataset.turn = fresh.dataset.turn;
  if (back) document.getElementById("back")?.replaceWith(back);
  if (told && !document.getElementById("told")?.isEqualNode(told)) document.getElementById("told")?.replaceWith(told);
  for (const at of document.querySelectorAll("#line-form [name=at]")) at.value = Math.max(at.value, fresh.dataset.turn);
  if (held && (!active.isConnected || active.textContent !== held.says)) returned(now, held).focus({ preventScroll: true });
  const same = anchor && parts().find((part) => part.dataset.part === named);
  if (same) scrollBy(0, same.getBoundingClientRect().top - top);
  // what was asked there is answered: on to how the table stands, and to what is asked next
  else if (asked) for (const part of ["#state", "section.matter"]) now.querySelector(part)?.scrollIntoView({ block: "nearest" });
}
// what reads the same stays; a part in which a question is being answered stays until it is answered
function patch(now, fresh) {
  Idiomorph.morph(now, fresh, {
    restoreFocus: false,
    callbacks: {
      beforeNodeMorphed(was, is) {
        if (was.dataset?.held !== undefined) {
          was.old = true;
          return false;
        }
        if (was.tagName === "DETAILS") is.open = was.open;
        return !was.isEqualNode(is);
      },
    },
  });
}
// whoever goes by keys stays at the same button; where that is gone, at what stands in its place
const reached = (within) => [...within.querySelectorAll("button, a, summary")];
function placed(focused) {
  const section = focused.closest("section");
  return { says: focused.textContent, section: section?.getAttribute("aria-label"),
    at: section ? reached(section).indexOf(focused) : -1 };
}
function returned(now, { says, section, at }) {
  const part = [...now.querySelectorAll("section")].find((candidate) => candidate.getAttribute("aria-label") === section);
  const same = [part, now].flatMap((place) => place ? reached(place) : []).find((button) => button.textContent === says);
  return same || (part && at >= 0 && reached(part).slice(0, at + 1).at(-1)) || now;
}
// each turn is read out once, however many come at a time
function hear(sentence) {
  const line = document.createElement("p");
  line.textContent = sentence;
  heard.append(line);
  while (heard.childElementCount > 20) heard.firstElementChild.remove();
}

// -- the stream of turns: it comes back by itself after anything but the end of the seat
const SILENT = 40000;
let source = null, retrying = 0, heardAt = 0;
export function follow() {
  clearTimeout(retrying);
  source?.close();
  const mine = source = new EventSource(`/live?after=${seen}`);
  heardAt = Date.now();
  const on = (kind, react) => mine.addEventListener(kind, (event) => {
    if (mine !== source) return;
    heardAt = Date.now();
    react(event);
  });
  on("open", async () => {
    if (!isAt("", "live")) stands("catching");
    await refresh();
    if (mine === source && mine.readyState === EventSource.OPEN) stands("live");
  });
  on("here", () => {});
  on("turn", (event) => {
    const turn = JSON.parse(event.data);
    if (turn.turn === seen) return;
    seen = turn.turn;
    if (turn.sentence) hear(turn.sentence);
    refresh();
    document.dispatchEvent(new Event("turn"));
  });
  on("asked", refresh);
  on("over", (event) => over(JSON.parse(event.data).why));
  on("error", () => { mine.close(); ask(); });
}
export function over(why) {
  source?.close();
  clearTimeout(retrying);
  stands(why);
  if (why === "stopped") retry();
}
function retry() {
  clearTimeout(retrying);
  retrying = setTimeout(follow, 1500);
}
// the stream does not say why it broke: the table is gone for a while, or the seat for good
async function ask() {
  try {
    const answer = await fetch("/now", { credentials: "same-origin", headers: json });
    if (answer.status === 401) { over("revoked"); return; }
  } catch { /* nobody is there */ }
  stands("offline");
  retry();
}
if (main.dataset.turn !== undefined && window.EventSource) {
  follow();
  setInterval(() => {
    if (isAt("live") && Date.now() - heardAt > SILENT) { source.close(); stands("offline"); retry(); }
  }, 5000);
  addEventListener("offline", () => { source?.close(); stands("offline"); retry(); });
  addEventListener("online", follow);
  // a phone that slept looks at once
  const wake = () => {
    if (document.hidden || isAt("revoked", "moved")) return;
    if (source?.readyState === EventSource.OPEN && Date.now() - heardAt < SILENT) refresh(); else follow();
  };
  document.addEventListener("visibilitychange", wake);
  addEventListener("pageshow", (event) => { if (event.persisted) wake(); });
}
