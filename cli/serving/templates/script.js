
"use strict";
// The page works without this. With it a page that is open follows the table, a line shows what it would do while it is
// typed, numbers have a pad, and a tap on bad Wi-Fi is sent again: under the same id, so that it stays one turn.
(() => {
  const main = document.getElementById("main");
  const heard = document.getElementById("heard");
  const json = { Accept: "application/json" };
  let seen = Number(document.getElementById("now")?.dataset.turn || 0);

  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const body = (form) => new URLSearchParams(new FormData(form));
  async function sent(address, data, headers) {
    for (let tries = 0; ; tries++) {
      try {
        return await fetch(address, { method: "POST", body: data, headers, credentials: "same-origin" });
      } catch (error) {
        if (tries === 4) throw error;
        await pause(300 * 2 ** tries);
      }
    }
  }

  // -- the table as it goes on
  let fetching = false, again = false;
  async function refresh() {
    if (fetching) { again = true; return; }
    fetching = true;
    do {
      again = false;
      try {
        const answer = await fetch("/now", { credentials: "same-origin" });
        if (answer.status === 401) { location.reload(); return; }
        if (answer.ok) put(await answer.text());
      } catch { await pause(1000); again = !document.hidden; }
    } while (again);
    fetching = false;
  }
  function put(html) {
    const held = document.activeElement?.closest?.("#now") ? placed(document.activeElement) : null;
    const unfolded = [...document.querySelectorAll("#now details")].map((each) => each.open);
    const now = document.getElementById("now");
    if (!now) return;
    const made = document.createElement("template");
    made.innerHTML = html;
    const fresh = made.content.getElementById("now");
    if (!fresh || Number(fresh.dataset.turn) < Number(now.dataset.turn)) return;
    now.replaceWith(fresh);
    const details = [...document.querySelectorAll("#now details")];
    if (details.length === unfolded.length) details.forEach((each, at) => { each.open = unfolded[at]; });
    for (const at of document.querySelectorAll("#line-form [name=at]")) at.value = Math.max(at.value, fresh.dataset.turn);
    if (held) returned(fresh, held).focus({ preventScroll: true });
  }
  // whoever goes by keys stays at the same button; where that is gone, at what stands in its place
  const reached = (within) => [...within.querySelectorAll("button, a, summary")];
  function placed(focused) {
    const section = focused.closest("section");
    return { says: focused.textContent, section: section?.getAttribute("aria-label"),
      at: section ? reached(section).indexOf(focused) : -1 };
  }
  function returned(now, { says, section, at }) {
    const part = [...now.querySelectorAll("section")].find((each) => each.getAttribute("aria-label") === section);
    const same = [part, now].flatMap((each) => each ? reached(each) : []).find((each) => each.textContent === says);
    return same || (part && at >= 0 && reached(part).slice(0, at + 1).at(-1)) || now;
  }
  // each turn is read out once, however many come at a time
  function hear(sentence) {
    const line = document.createElement("p");
    line.textContent = sentence;
    heard.append(line);
    while (heard.childElementCount > 20) heard.firstElementChild.remove();
  }
  function follow() {
    const events = new EventSource(`/live?after=${seen}`);
    events.addEventListener("turn", (event) => {
      const told = JSON.parse(event.data);
      if (told.turn === seen) return;
      seen = told.turn;
      if (told.sentence) hear(told.sentence);
      refresh();
    });
    events.addEventListener("over", () => events.close());
    events.onerror = () => {
      if (events.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
    };
  }
  if (main.dataset.live && window.EventSource) {
    follow();
    // a phone that slept looks at once
    document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
    window.addEventListener("pageshow", (event) => { if (event.persisted) refresh(); });
  }

  // -- what it would do, while it is typed
  function foretell(form) {
    const would = form.querySelector(".would"), button = form.querySelector("button[type=submit]");
    const first = form.querySelector(".matter"), next = form.querySelector(".next");
    let asked = 0;
    function show(told) {
      would.textContent = told.would || told.problem || "";
      would.classList.toggle("refused", Boolean(told.problem));
      // what the rules ask is answered in the place of the button: one tap answers and does it
      first.innerHTML = told.asked || "";
      first.hidden = !told.asked;
      button.hidden = Boolean(told.asked);
      if (next) {
        next.innerHTML = told.ways || "";
        next.hidden = !told.ways;
      }
    }
    async function look() {
      const mine = ++asked;
      if (!form.checkValidity()) { show({}); return; }
      await pause(120);
      // what is being done already is not foretold
      if (mine !== asked || form.dataset.busy !== undefined) return;
      try {
        const answer = await fetch("/look", { method: "POST", body: body(form), headers: json, credentials: "same-origin" });
        const told = await answer.json();
        if (mine === asked && form.dataset.busy === undefined) show(told);
      } catch { /* it is asked again with the next sign */ }
    }
    form.action = "/do";
    button.textContent = "Do it";
    form.addEventListener("reset", () => { asked++; show({}); });
    next?.addEventListener("click", (event) => {
      const way = event.target.closest("[data-line]");
      if (!way) return;
      const line = form.elements.line;
      line.value = way.dataset.line;
      line.focus();
      look();
    });
    form.addEventListener("input", look);
    form.addEventListener("change", look);
    if (form.matches(".fields")) look();
  }
  function enliven() {
    for (const form of document.querySelectorAll("#line-form, form.fields")) foretell(form);
    for (const input of document.querySelectorAll("input[data-pad]")) pad(input);
  }

  // -- taps
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.getAttribute("action") !== "/do" || event.defaultPrevented) return;
    event.preventDefault();
    const said = body(form), chosen = event.submitter, line = said.get("line") || "";
    if (form.dataset.busy !== undefined) {
      // the same is on its way already; another line is next, once that one is done
      if (form.dataset.busy !== line) form.dataset.next = line;
      return;
    }
    form.dataset.busy = line;
    let goesOn = false;
    try {
      if (chosen?.name) said.append(chosen.name, chosen.value);
      const answer = await sent("/do", said, json);
      if (answer.headers.get("content-type")?.startsWith("application/json")) {
        const told = await answer.json();
        // what was typed since stays, and the same said once more is another turn
        if (answer.ok && form.id === "line-form") {
          if (form.elements.line.value === line) form.reset();
          form.elements.at.value = Math.max(form.elements.at.value, ...told.done.map((each) => each.turn));
        }
        if (!answer.ok) say(form, told.problem);
        else if (main.dataset.live) goesOn = true;
        else location.assign("/");
      } else if (answer.redirected) {
        location.assign(answer.url);
      } else {
        // the rules ask something: the answer is a page of its own
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        document.title = page.title;
        main.removeAttribute("data-live");
        main.replaceChildren(...page.getElementById("main").childNodes);
        main.querySelector("h1")?.setAttribute("tabindex", "-1");
        main.querySelector("h1")?.focus();
        scrollTo(0, 0);
        enliven();
      }
    } catch {
      say(form, "The table cannot be reached. Tap again: it is done once.");
    }
    const next = form.dataset.next;
    delete form.dataset.busy;
    delete form.dataset.next;
    if (goesOn && next && form.elements.line.value === next) form.requestSubmit();
    // nobody waits for the table to be fetched before the next line
    if (goesOn) await refresh();
  });
  function say(form, sentence) {
    let place = form.querySelector(".would");
    if (!place) {
      place = document.createElement("p");
      place.className = "would";
      place.setAttribute("role", "alert");
      form.append(place);
    }
    place.classList.add("refused");
    place.textContent = sentence;
  }

  // -- numbers
  function pad(input) {
    const keys = document.createElement("div");
    keys.className = "pad";
    keys.setAttribute("role", "group");
    keys.setAttribute("aria-label", "Number pad");
    for (const sign of ["1", "2", "3", "4", "5", "6", "7", "8", "9", "⌫", "0", input.dataset.pad === "dice" ? "," : "–"]) {
      const key = document.createElement("button");
      key.type = "button";
      key.textContent = sign;
      key.setAttribute("aria-label", { "⌫": "delete", ",": "comma", "–": "clear" }[sign] || sign);
      // one stop of the tabulator; from there on by arrows
      key.tabIndex = sign === "1" ? 0 : -1;
      key.addEventListener("click", () => {
        input.value = sign === "⌫" ? input.value.slice(0, -1) : sign === "–" ? "" : input.value + sign;
        input.dispatchEvent(new Event("input", { bubbles: true }));
      });
      keys.append(key);
    }
    keys.addEventListener("keydown", (event) => {
      const across = getComputedStyle(keys).gridTemplateColumns.split(" ").length;
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across }[event.key];
      const next = keys.children[[...keys.children].indexOf(event.target) + step];
      if (!next) return;
      event.preventDefault();
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
    input.after(keys);
  }
  enliven();

  // -- time
  const slider = document.querySelector(".time input[type=range]");
  slider?.addEventListener("input", () => { document.querySelector(".time output").value = slider.value; });
  // a finger lets go where it wants to be; by keys one goes on step by step, and then asks
  let byKeys = false;
  slider?.addEventListener("keydown", () => { byKeys = true; });
  slider?.addEventListener("pointerdown", () => { byKeys = false; });
  slider?.addEventListener("change", () => { if (!byKeys) slider.form.submit(); });
})();
