// Fields that are tapped instead of typed: numbers and dice by a pad, cards on the table in the order they came up.
import { changing } from "./settling.js";

// numbers: one pad in each form, below the field that it fills, which is the one that was touched last
const pads = new Map();
export function pad(input) {
  input.addEventListener("focus", () => { if (pads.get(input.form)?.input !== input) changing(() => place(input)); });
  if (!pads.has(input.form) && input.offsetParent) place(input);
}
function place(input) {
  pads.get(input.form)?.keys.remove();
  for (const field of input.form.querySelectorAll(".padded")) field.classList.remove("padded");
  input.classList.add("padded");
  const keys = keysFor(input);
  pads.set(input.form, { input, keys });
  input.after(keys);
}
function keysFor(input) {
  const keys = document.createElement("div");
  keys.className = "pad";
  keys.setAttribute("role", "group");
  keys.setAttribute("aria-label", "Number pad");
  for (const sign of ["1", "2", "3", "4", "5", "6", "7", "8", "9", "⌫", "0", { dice: ",", signed: "−" }[input.dataset.pad] || "C"]) {
    const key = document.createElement("button");
    key.type = "button";
    key.textContent = sign;
    key.setAttribute("aria-label", { "⌫": "delete", ",": "comma", "−": "minus", C: "clear" }[sign] || sign);
    // one stop of the tabulator; from there on by arrows
    key.tabIndex = sign === "1" ? 0 : -1;
    key.addEventListener("click", () => {
      input.value = sign === "⌫" ? input.value.slice(0, -1) : sign === "C" ? "" : sign !== "−" ? input.value + sign :
        input.value.startsWith("-") ? input.value.slice(1) : `-${input.value}`;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    keys.append(key);
  }
  keys.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -3, ArrowDown: 3 }[event.key];
    const next = keys.children[[...keys.children].indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
  return keys;
}

// cards that lie on the table: touched in the order in which they were turned over
export function deal(group) {
  const input = group.parentNode.querySelector("input");
  const cards = () => input.value.split(/[\s,]+/).filter(Boolean);
  const show = () => {
    const turned = cards();
    for (const button of group.children) {
      const at = turned.indexOf(button.dataset.card);
      button.setAttribute("aria-pressed", at >= 0);
      button.dataset.place = at >= 0 ? at + 1 : "";
    }
  };
  group.addEventListener("click", (event) => {
    const card = event.target.closest("[data-card]")?.dataset.card;
    if (!card) return;
    const turned = cards();
    input.value = (turned.includes(card) ? turned.filter((tapped) => tapped !== card) : [...turned, card]).join(" ");
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  input.addEventListener("input", show);
  group.hidden = false;
  show();
}
