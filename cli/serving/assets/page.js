// The page works without this. With it an open page follows the table and says whether it does, a line is previewed
// while it is typed, numbers have a pad, a tap on bad Wi-Fi is sent again under the same id so that it stays one turn,
// and no tap lands on what was not there when the finger came down.
import { enliven } from "./forms.js";
import "./live.js";
import "./panel.js";
import "./taps.js";
import "./time.js";

const main = document.getElementById("main");
// nobody sits here: what a form kept of the seat before goes with it
if (main.dataset.turn === undefined) sessionStorage.clear();
enliven(document);
// a desk has room for the line from the start
const typing = document.querySelector("details.typing");
if (typing && matchMedia("(min-width: 50rem)").matches) typing.open = true;
typing?.addEventListener("toggle", () => { if (typing.open && typing.contains(document.activeElement)) typing.querySelector("input[name=line]").focus(); });


// an address that cannot be reached says so on a page of ours, where the browser takes a worker
if (navigator.serviceWorker && isSecureContext) navigator.serviceWorker.register("/worker.js").catch(() => {});
