
"use strict";
// The page works without this script. With it an open page follows the table and says whether it does, a line is
// previewed while it is typed, numbers have a pad, a tap on bad Wi-Fi is sent again under the same id so that it stays
// one turn, and no tap lands on what was not there when the finger came down.
(() => {
  const main = document.getElementById("main");
  const heard = document.getElementById("heard");
  const strip = document.getElementById("standing");
  const panel = document.getElementById("panel");
  const done = document.getElementById("done");
  const json = { Accept: "application/json" };
  let seen = Number(main.dataset.turn || 0);

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

  // -- what was not there when the finger came down takes no tap
  const SETTLES = 700;
  const tappable = () => [...document.querySelectorAll("main button, main a, main summary, main label.check, dialog button, dialog a")]
    .filter((target) => target.form?.method !== "get");
  // a card is the same one whether it is chosen first or second
  const named = (target) => target.dataset.tap || `${target.tagName} ${target.textContent.trim()}`;
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
  function changing(change) {
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
  // on a page that has just come, what does something settles, and what may lie where a button was; links need not
  for (const target of tappable()) if (target.form || target.matches(".foot summary")) settleUntil(target, performance.now() + SETTLES);

  // -- how the page stands
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
  function stands(state) {
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
      for (const element of document.querySelectorAll("header, footer")) element.remove();
      panel.close();
      for (const element of [panel, heard, done, main]) element.replaceChildren();
      sessionStorage.clear();
    });
  }

  // -- the table as it goes on
  let fetching = false, again = false;
  async function refresh() {
    if (!main.dataset.live || standing === "revoked") return;
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
    const fresh = made.content.getElementById("now"), back = made.content.getElementById("back");
    if (!now || !fresh || Number(fresh.dataset.turn) < Number(now.dataset.turn)) return;
    const active = document.activeElement;
    const held = active?.closest?.("#now, #back") ? placed(active) : null;
    const parts = () => [...now.querySelectorAll("[data-part]:not(.column)")];
    const anchor = scrollY > 0 ? parts().find((part) => part.getBoundingClientRect().bottom > 48) : null;
    const top = anchor?.getBoundingClientRect().top;
    patch(now, fresh);
    now.dataset.turn = fresh.dataset.turn;
    if (back) document.getElementById("back")?.replaceWith(back);
    for (const at of document.querySelectorAll("#line-form [name=at]")) at.value = Math.max(at.value, fresh.dataset.turn);
    if (held && !active.isConnected) returned(now, held).focus({ preventScroll: true });
    const same = anchor && parts().find((part) => part.dataset.part === anchor.dataset.part);
    if (same) scrollBy(0, same.getBoundingClientRect().top - top);
  }
  // parts that read the same stay; one in which a question is being answered stays until it is answered
  function patch(old, fresh) {
    const known = new Map([...old.children].map((part) => [part.dataset.part, part]));
    const parts = [...fresh.children].map((part) => {
      const was = known.get(part.dataset.part);
      if (!was) return part;
      if (was.dataset.held !== undefined) {
        was.old = true;
        return was;
      }
      if (part.matches(".column")) { patch(was, part); return was; }
      for (const details of part.querySelectorAll("details")) {
        const same = [...was.querySelectorAll("details")].find((other) => other.dataset.name === details.dataset.name);
        if (same) details.open = same.open;
      }
      return was.isEqualNode(part) ? was : part;
    });
    parts.forEach((part, at) => { if (old.children[at] !== part) old.insertBefore(part, old.children[at] || null); });
    while (old.children.length > parts.length) old.lastElementChild.remove();
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
  function follow() {
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
      if (standing && standing !== "live") stands("catching");
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
    });
    on("over", (event) => over(JSON.parse(event.data).why));
    on("error", () => { mine.close(); ask(); });
  }
  function over(why) {
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
      if (standing === "live" && Date.now() - heardAt > SILENT) { source.close(); stands("offline"); retry(); }
    }, 5000);
    addEventListener("offline", () => { source?.close(); stands("offline"); retry(); });
    addEventListener("online", follow);
    // a phone that slept looks at once
    const wake = () => {
      if (document.hidden || standing === "revoked" || standing === "moved") return;
      if (source?.readyState === EventSource.OPEN && Date.now() - heardAt < SILENT) refresh(); else follow();
    };
    document.addEventListener("visibilitychange", wake);
    addEventListener("pageshow", (event) => { if (event.persisted) wake(); });
  }

  // -- what it would do, while it is typed
  function foretell(form, isFilled) {
    const would = form.querySelector(".would"), button = form.querySelector("button[type=submit]");
    const first = form.querySelector(".matter"), next = form.querySelector(".next");
    let asked = 0, touched = false, filled = "";
    const content = () => [...body(form)].filter(([name]) => name !== "at" && name !== "fingerprint").join("\n");
    function show(preview) {
      // what is still missing is no mistake before anything was filled in
      const problem = touched ? preview.problem : "";
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
    async function look() {
      const mine = ++asked;
      if (!form.checkValidity()) { show({}); return; }
      await pause(120);
      // what is being done already is not previewed
      if (mine !== asked || form.dataset.busy !== undefined) return;
      try {
        const answer = await fetch("/look", { method: "POST", body: body(form), headers: json, credentials: "same-origin" });
        const preview = await answer.json();
        if (mine === asked && form.dataset.busy === undefined) show(preview);
      } catch { /* it is asked again with the next key, and once the table is back */ }
    }
    looks.set(form, look);
    form.action = "/do";
    button.textContent = "Do it";
    form.addEventListener("reset", () => { asked++; filled = ""; show({}); });
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
      touched = true;
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
  async function isShown(form) {
    const would = form.querySelector(".would");
    const stands = () => would.textContent && !would.matches(".refused, .old") && form.querySelector(".matter").hidden;
    if (stands()) return true;
    if (awaited.has(form)) return false;
    awaited.add(form);
    await looks.get(form)();
    awaited.delete(form);
    if (!would.textContent || would.matches(".old")) say(form, UNREACHED).classList.add("unreached");
    return Boolean(stands());
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
  addEventListener("popstate", () => { if (here() !== address) location.reload(); });
  function enliven(within, filled = false) {
    for (const form of within.querySelectorAll("#line-form, form.fields")) foretell(form, filled);
    for (const input of within.querySelectorAll("input[data-pad]")) pad(input);
    for (const group of within.querySelectorAll(".deal .cards")) deal(group);
  }

  // what was done is told at the top, wherever the turns stand; the log of what was heard reads it out
  const NOTED = 8000;
  let fading = 0;
  function tell(sentences) {
    if (!done || !sentences) return;
    done.textContent = sentences;
    done.hidden = false;
    clearTimeout(fading);
    fading = setTimeout(() => { done.hidden = true; }, NOTED);
  }

  // -- taps
  const UNREACHED = "The table cannot be reached. Tap again: it is done once.";
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
    let goesOn = false, question = false, problem = "";
    try {
      if (chosen?.name) content.append(chosen.name, chosen.value);
      if (chosen?.dataset.fingerprint) content.set("fingerprint", chosen.dataset.fingerprint);
      const answer = await sent("/do", content, json);
      if (answer.headers.get("content-type")?.startsWith("application/json")) {
        const reply = await answer.json();
        // what was typed since stays, and the same line once more is another turn
        if (answer.ok && reply.done && form.id === "line-form") {
          if (form.elements.line.value === line) form.reset();
          form.elements.at.value = Math.max(form.elements.at.value, ...reply.done.map((turn) => turn.turn));
        }
        if (answer.status === 401) over("revoked");
        else if (!answer.ok) problem = reply.problem;
        else if (reply.asked) {
          question = true;
          asks(part, reply.asked);
          // where that is answered with Not now, the form below says what it comes to by then
          if (form.matches("#line-form, .fields")) form.dispatchEvent(new Event("again"));
        } else {
          const sentences = reply.done.map((turn) => turn.sentence).join(" ");
          goesOn = Boolean(main.dataset.live);
          if (goesOn) {
            panel.close();
            tell(sentences);
          } else {
            sessionStorage.setItem("done", sentences);
            sessionStorage.removeItem(`form ${location.pathname}`);
            location.assign("/");
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
        address = here();
        main.querySelector("h1")?.setAttribute("tabindex", "-1");
        main.querySelector("h1")?.focus();
        scrollTo(0, 0);
        enliven(main, true);
      }
    } catch {
      problem = UNREACHED;
    }
    if (part) tapped(part, problem, question || (problem && asked));
    if (problem && part?.old && part.dataset.held === undefined) await refresh();
    if (problem) say(form.isConnected ? form : successor(part), problem).classList.toggle("unreached", problem === UNREACHED);
    const next = form.dataset.next;
    delete form.dataset.busy;
    delete form.dataset.next;
    if (goesOn && next && form.elements.line.value === next) form.requestSubmit();
    // nobody waits for the table to be fetched before the next line
    if (goesOn) await refresh();
  });
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
  function asks(part, html) {
    changing(() => {
      const made = document.createElement("template");
      made.innerHTML = html;
      if (panel.open) panel.replaceChildren(made.content);
      else if (part) {
        const stood = part.querySelector(".cards")?.getBoundingClientRect().top;
        part.replaceChildren(made.content);
        const cards = part.querySelector(".cards"), moved = cards && stood !== undefined ? cards.getBoundingClientRect().top - stood : 0;
        if (moved < 0) cards.style.marginTop = `${-moved}px`; else scrollBy(0, moved);
      } else open(made.content);
      const first = (panel.open ? panel : part)?.querySelector(".why");
      first?.setAttribute("tabindex", "-1");
      first?.focus({ preventScroll: true });
    });
  }
  // what stands on the page now for a part that is gone
  function successor(part) {
    const parts = [...document.querySelectorAll("#now [data-part]:not(.column)")];
    return parts.find((candidate) => candidate.dataset.part === part?.dataset.part) || parts[0] || main;
  }
  function say(place, sentence) {
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

  // -- a figure that is touched, and whatever else is asked over the page
  function open(content) {
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
  async function panelled(asked) {
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

  // -- numbers: one pad in each form, below the field that it fills, which is the one that was touched last
  const pads = new Map();
  function pad(input) {
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
  // -- cards that lie on the table: touched in the order in which they were turned over
  function deal(group) {
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
  // nobody sits here: what a form kept of the seat before goes with it
  if (main.dataset.turn === undefined) sessionStorage.clear();
  enliven(document);
  tell(sessionStorage.getItem("done"));
  sessionStorage.removeItem("done");
  // a desk has room for the line from the start
  const typing = document.querySelector("details.typing");
  if (typing && matchMedia("(min-width: 50rem)").matches) typing.open = true;
  typing?.addEventListener("toggle", () => { if (typing.open && typing.contains(document.activeElement)) typing.querySelector("input[name=line]").focus(); });

  // -- time
  const slider = document.querySelector(".time input[type=range]");
  slider?.addEventListener("input", () => { document.querySelector(".time output").value = slider.value; });
  // a finger lets go where it wants to be; by keys one goes on step by step, and then asks
  let byKeys = false;
  slider?.addEventListener("keydown", () => { byKeys = true; });
  slider?.addEventListener("pointerdown", () => { byKeys = false; });
  slider?.addEventListener("change", () => { if (!byKeys) slider.form.submit(); });
})();
