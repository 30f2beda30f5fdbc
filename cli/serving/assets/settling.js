// No tap lands on what was not there when the finger came down: whatever stands at another place, or has just come,
// takes none for a moment.
const SETTLES = 700;
const tappable = () => [...document.querySelectorAll("main button, main a, main summary, main label.check, dialog button, dialog a")]
  .filter((target) => target.form?.method !== "get");
// a card is the same one whether it is chosen first or second
export const named = (target) => target.dataset.tap || `${target.tagName} ${target.textContent.trim()}`;
function places() {
  const found = new Map();
  for (const target of tappable()) {
    const { x, y, width, height } = target.getBoundingClientRect();
    if (width) found.set(named(target), [...(found.get(named(target)) || []), { x, y, width, height, until: target.until || 0 }]);
  }
  return found;
}
function settle(before) {
  const now = performance.now();
  for (const target of tappable()) {
    const { x, y, width, height } = target.getBoundingClientRect();
    if (!width) continue;
    const same = (before.get(named(target)) || []).find((at) => Math.abs(at.x - x) < 5 && Math.abs(at.y - y) < 5 &&
      Math.abs(at.width - width) < 9 && Math.abs(at.height - height) < 9);
    const until = same ? same.until : now + SETTLES;
    if (until > now) settleUntil(target, until);
  }
}
function settleUntil(target, until) {
  target.until = until;
  target.classList.add("settling");
  clearTimeout(target.settled);
  target.settled = setTimeout(() => target.classList.remove("settling"), until - performance.now());
}
// change the page; whatever stands at another place then settles first
export function changing(change) {
  const before = places();
  const result = change();
  settle(before);
  return result;
}
document.addEventListener("click", (event) => {
  // Enter in a field sends its form, wherever the button stands
  const typed = event.detail === 0 && document.activeElement?.matches("input:not([type=checkbox]):not([type=radio])");
  if (!event.target.closest?.(".settling") || typed) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
// a second tap of the finger that led to this page does nothing here: it comes soon after the first, with which the
// clock of the page began. What does something settles, and what may lie where a button was; links need not
if (performance.now() < SETTLES) for (const target of tappable()) if (target.form || target.matches(".foot summary")) settleUntil(target, SETTLES);
