// What a form or a line would do is read while it is filled in, and what was filled in is kept by this tab alone.
import { deal, pad } from "./fields.js";
import { say } from "./taps.js";
import { UNREACHED, body, json, pause } from "./requests.js";
import { changing } from "./settling.js";

function foretell(form, isFilled) {
  const would = form.querySelector(".would"), button = form.querySelector("button[type=submit]");
  const first = form.querySelector(".matter"), next = form.querySelector(".next");
  let asked = 0, filled = "";
  const content = () => [...body(form)].filter(([name]) => name !== "at" && name !== "fingerprint").join("\n");
  function show(preview) {
    // what is still missing is no mistake before anything was filled in
    const problem = speaking.has(form) ? preview.problem : "";
    changing(() => {
      would.classList.remove("old", "unreached");
      would.textContent = preview.would || problem || "";
      would.classList.toggle("refused", Boolean(problem));
      // what the rules ask is answered in the place of the button: one tap answers and does it
      form.elements.fingerprint.value = preview.fingerprint || "";
      first.innerHTML = preview.asked || "";
      first.hidden = !preview.asked;
      button.hidden = Boolean(preview.asked);
      if (next) {
        next.innerHTML = preview.ways || "";
        next.hidden = !preview.ways;
      }
    });
  }
  // whether the table was reached
  async function look() {
    const mine = ++asked;
    if (!form.checkValidity()) { show({}); return true; }
    await pause(120);
    // what is being done already is not previewed
    if (mine !== asked || form.dataset.busy !== undefined) return true;
    try {
      const answer = await fetch("/look", { method: "POST", body: body(form), headers: json, credentials: "same-origin" });
      const preview = await answer.json();
      if (mine === asked && form.dataset.busy === undefined) show(preview);
      return true;
    } catch { return false; /* it is asked again with the next key, and once the table is back */ }
  }
  looks.set(form, look);
  form.action = "/do";
  button.textContent = "Do it";
  for (const kind of ["reset", "over"]) form.addEventListener(kind, () => { asked++; filled = ""; show({}); });
  next?.addEventListener("click", (event) => {
    const way = event.target.closest("[data-line]");
    if (!way) return;
    const line = form.elements.line;
    line.value = way.dataset.line;
    form.elements.fingerprint.value = "";
    line.focus();
    look();
  });
  form.addEventListener("again", look);
  for (const kind of ["input", "change"]) form.addEventListener(kind, (event) => {
    chooseOne(event.target);
    // a field that is left says once more that it was changed
    if (content() === filled) return;
    filled = content();
    speaking.add(form);
    for (const group of form.querySelectorAll(".unanswered")) group.classList.toggle("unanswered", isOpen(group));
    // what it would come to is asked anew, and what is read there by now speaks of something else
    would.classList.add("old");
    form.elements.fingerprint.value = "";
    look();
  });
  if (!form.matches(".fields")) return;
  keep(form, isFilled);
  look();
}
// what a form sends stands above its button: a sentence that is on its way, or was lost, is waited for
const looks = new WeakMap(), awaited = new WeakSet();
// the forms that were filled in, or sent, and so say what is missing
const speaking = new WeakSet();
export async function isShown(form) {
  const would = form.querySelector(".would");
  const stands = () => would.textContent && !would.matches(".refused, .old") && form.querySelector(".matter").hidden;
  if (stands()) return true;
  if (awaited.has(form)) return false;
  awaited.add(form);
  speaking.add(form);
  const isReached = await looks.get(form)();
  awaited.delete(form);
  if (!isReached) say(form, UNREACHED).classList.add("unreached");
  else if (!stands()) mark(form);
  return Boolean(stands());
}
// what has to be chosen, and is not
const isOpen = (group) => ![...group.querySelectorAll("input")].some((field) => field.checked || (field.matches("p > input") && field.value));
function mark(form) {
  const groups = [...form.querySelectorAll("fieldset[data-required]")].filter(isOpen)
    .filter((group) => form.querySelector(".would").textContent.includes(group.querySelector("legend").firstChild.data.trim().slice(1)));
  for (const group of groups) group.classList.add("unanswered");
  groups[0]?.querySelector("input").focus({ preventScroll: true });
  groups[0]?.scrollIntoView({ block: "nearest" });
}
// of a list and the field beside it, what was touched last counts
function chooseOne(touched) {
  const group = touched?.closest?.("fieldset"), typed = group?.querySelector("p > input");
  const listed = group ? [...group.querySelectorAll("[type=radio]")] : [];
  if (!typed || !listed.length) return;
  if (touched !== typed) typed.value = "";
  else if (typed.value) for (const option of listed) option.checked = false;
}
// a form keeps what was filled in when it is loaded again, or opened for another name; `filled`: it has just come so
function keep(form, filled) {
  const key = `form ${location.pathname}`, fields = [...form.elements].filter((field) => field.name && field.type !== "hidden");
  const before = document.referrer && new URL(document.referrer).pathname;
  const again = !filled && (performance.getEntriesByType("navigation")[0]?.type === "reload" || before === location.pathname);
  const kept = again ? new URLSearchParams(sessionStorage.getItem(key) || "") : null;
  if (kept?.size) for (const field of fields) {
    if (field.matches("[type=checkbox], [type=radio]")) field.checked = kept.getAll(field.name).includes(field.value);
    else field.value = kept.get(field.name) ?? field.value;
  }
  const store = () => {
    const chosen = fields.filter((field) => !field.matches("[type=checkbox], [type=radio]") || field.checked);
    sessionStorage.setItem(key, new URLSearchParams(chosen.map((field) => [field.name, field.value])));
  };
  form.addEventListener("input", store);
  if (filled) store();
}
// what was filled in stands in no address; Back and Forward load what they lead to, as this page is another by now
const here = () => location.pathname + location.search;
let address = here();
// this page has another address by now
export function moved() { address = here(); }
addEventListener("popstate", () => { if (here() !== address) location.reload(); });
export function enliven(within, filled = false) {
  for (const form of within.querySelectorAll("#line-form, form.fields")) foretell(form, filled);
  for (const input of within.querySelectorAll("input[data-pad]")) pad(input);
  for (const group of within.querySelectorAll(".deal .cards")) deal(group);
}
