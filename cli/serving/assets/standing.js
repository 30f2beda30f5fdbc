// How the page stands: live, catching up, offline, stopped by the host, moved to another page, or without a seat.
import { follow } from "./live.js";
import { changing } from "./settling.js";

const main = document.getElementById("main"), strip = document.getElementById("standing");
const panel = document.getElementById("panel"), heard = document.getElementById("heard");
const clock = () => new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
const OLD = "You see the table as it was then. This page catches up by itself.";
const SENTENCES = {
  live: () => "",
  catching: () => "Catching up with the table …",
  offline: (at) => `Offline since ${at}. ${OLD}`,
  stopped: (at) => `The host stopped the table at ${at}. ${OLD}`,
  moved: () => "Your seat is open on too many pages, so this one no longer follows.",
  revoked: () => "This device has no seat any more. Ask the referee for a new link.",
};
let standing = "";
// whether the page stands so; "" at first
export const isAt = (...states) => states.includes(standing);
export function stands(state) {
  if (state === standing || standing === "revoked") return;
  // stopped by the host says more than offline, until the table is back
  if (state === "offline" && (standing === "stopped" || standing === "moved")) return;
  standing = state;
  changing(() => {
    if (state === "live") {
      for (const message of document.querySelectorAll(".unreached:not([role=status])")) message.remove();
      // what a form would do is asked anew: nothing was said of it while nobody was there
      for (const form of document.querySelectorAll("#line-form, form.fields")) form.dispatchEvent(new Event("again"));
    }
    document.body.dataset.standing = state;
    strip.textContent = SENTENCES[state](clock());
    strip.hidden = state === "live";
    if (state === "moved") {
      const here = document.createElement("button");
      here.type = "button";
      here.textContent = "Follow here";
      here.addEventListener("click", () => { stands("catching"); follow(); });
      strip.append(" ", here);
    }
    if (state !== "revoked") return;
    // what was this seat's is shown no longer
    document.title = "No seat";
    for (const element of document.querySelectorAll("nav, .foot, footer")) element.remove();
    panel.close();
    for (const element of [panel, heard, main]) element.replaceChildren();
    sessionStorage.clear();
  });
}
