// Keys, the palette, what stands open, and typed text that no answer came for. Every page works without this file.
"use strict";
(() => {
  const all = (what, under = document) => [...under.querySelectorAll(what)];
  const one = (what, under = document) => under.querySelector(what);
  let at = -1; // which entry one is at
  let going = false; // `g` was pressed

  const entries = () => all("[data-entry]");
  const typing = (place) => place.closest("input, textarea, select, dialog[open]") !== null;

  function go(number, focus = true) {
    const list = entries();
    list.forEach((entry) => entry.classList.remove("at"));
    at = Math.max(0, Math.min(number, list.length - 1));
    const entry = list[at];
    if (!entry) { at = -1; return; }
    entry.classList.add("at");
    if (!entry.hasAttribute("tabindex")) entry.setAttribute("tabindex", "-1");
    if (focus) { entry.focus({ preventScroll: true }); entry.scrollIntoView({ block: "nearest" }); }
  }

  function press(key) {
    const list = entries();
    const entry = list[at] || (list.length === 1 ? list[0] : null);
    const group = entry && entry.closest(".group");
    const places = [entry, group, one(".notice")].filter(Boolean);
    const name = `[data-key="${CSS.escape(key)}"]`;
    const button = places.map((place) => one(name, place)).find(Boolean);
    if (!button) return false;
    if (button.hasAttribute("data-skip")) go(at + 1);
    else button.click();
    if (button.matches("summary")) one("textarea", button.parentElement)?.focus();
    return true;
  }

  function plain(key) {
    if (going) {
      going = false;
      const link = one(`[data-go="${CSS.escape(key)}"]`);
      if (link) link.click();
      return link !== null;
    }
    if (key === "g") return (going = true);
    if (key === "/") { one("#q")?.focus(); return true; }
    if (key === "?") { one("#help").showModal(); return true; }
    if (key === "j" || key === "k") { go(key === "j" ? at + 1 : at - 1); return true; }
    if (key === "n" || key === "N") { one("[data-more]")?.click(); return true; }
    return press(key);
  }

  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "k") { event.preventDefault(); palette(); return; }
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && event.target.matches("textarea")) { event.target.form.requestSubmit(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && typing(event.target) && !event.target.closest("dialog")) { event.target.blur(); go(at); return; }
    if (typing(event.target) || event.key.length !== 1 && event.key !== "Enter") return;
    if (event.key === "Enter") {
      if (event.target.matches("[data-entry]")) one("a[href]", event.target)?.click();
      return;
    }
    if (plain(event.key)) event.preventDefault();
  });

  document.addEventListener("focusin", (event) => {
    const entry = event.target.closest("[data-entry]");
    const number = entry ? entries().indexOf(entry) : -1;
    if (number >= 0 && number !== at) go(number, false);
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-skip]")) go(at + 1);
  });

  // Everything that can be gone to or done, by a few letters of its name: pages, what can be done here, memories, notes, conversations.
  function palette() {
    const links = all("[data-go]").map((link) => [one("span", link).textContent, link, "page"]);
    const here = entries()[at];
    const doable = here ? all("button, a.button", here).map((button) => [button.firstChild.textContent, button, "here"]) : [];
    const choices = [...links, ...doable, ["Keys", { click: () => one("#help").showModal() }, "help"]];
    const dialog = document.createElement("dialog");
    const input = document.createElement("input");
    const list = document.createElement("ul");
    let shown = [], named = [], chosen = 0, asked = 0;
    dialog.id = "palette";
    dialog.setAttribute("aria-label", "Go to or do");
    input.placeholder = "Go to a page, a memory, a conversation ...";
    input.setAttribute("aria-label", "What");
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-expanded", "true");
    input.setAttribute("aria-controls", "choices");
    list.id = "choices";
    list.setAttribute("role", "listbox");
    function draw() {
      const words = input.value.toLowerCase();
      shown = [...choices.filter(([name]) => name.toLowerCase().includes(words)), ...named];
      if (words) shown.push([`Search for ${input.value}`, { click: () => { location.href = `/web/find?q=${encodeURIComponent(input.value)}`; } }, "search"]);
      chosen = Math.max(0, Math.min(chosen, shown.length - 1));
      list.replaceChildren(...shown.map(([name, target, sort], number) => {
        const line = document.createElement("li");
        const word = document.createElement("span");
        line.textContent = name;
        word.textContent = sort;
        line.append(word);
        line.id = `choice-${number}`;
        line.setAttribute("role", "option");
        line.setAttribute("aria-selected", String(number === chosen));
        line.addEventListener("click", () => { dialog.close(); target.click(); });
        return line;
      }));
      input.setAttribute("aria-activedescendant", `choice-${chosen}`);
      one(`#choice-${chosen}`, list)?.scrollIntoView({ block: "nearest" });
    }
    // Names come from the memory itself; an answer to letters that were typed over in the meantime is passed over.
    async function look() {
      const number = ++asked;
      named = [];
      if (input.value.trim().length < 2) return;
      const answer = await fetch(`/web/jump?q=${encodeURIComponent(input.value)}`, { headers: { "hx-request": "true" } }).catch(() => null);
      if (number !== asked || !answer?.ok) return;
      const found = new DOMParser().parseFromString(await answer.text(), "text/html");
      named = all("#jump li", found).map((line) => {
        const link = one("a", line), place = link.getAttribute("href");
        return [link.textContent, { click: () => { location.href = place; } }, one("span", line).textContent];
      });
      draw();
    }
    input.addEventListener("input", () => { chosen = 0; named = []; draw(); look(); });
    input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") { chosen += event.key === "ArrowDown" ? 1 : -1; draw(); event.preventDefault(); }
      if (event.key === "Enter" && shown[chosen]) { dialog.close(); shown[chosen][1].click(); event.preventDefault(); }
    });
    dialog.addEventListener("close", () => dialog.remove());
    dialog.append(input, list);
    document.body.append(dialog);
    draw();
    dialog.showModal();
  }

  // One menu stands open at a time, and a click elsewhere or Escape closes it.
  const folded = "details.menu[open], details.chip[open]";
  document.addEventListener("click", (event) => {
    all(folded).forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
  });
  document.addEventListener("keydown", (event) => {
    const menu = event.key === "Escape" && (event.target.closest(folded) || one(folded));
    if (menu) { menu.open = false; one("summary", menu).focus(); }
  });

  const live = (text) => { one("#live").textContent = text; };

  // After an answer one is at the entry that took the place of the one decided about.
  document.addEventListener("htmx:after:swap", (event) => {
    if (event.target.id !== "page" && !(event.detail?.ctx?.target?.id === "page")) return;
    live("");
    restore();
    const posted = event.detail?.ctx?.request?.method === "POST";
    if (document.activeElement && typing(document.activeElement)) return;
    if (posted && at >= 0 && entries().length) go(at);
    else { at = -1; one("#main")?.focus({ preventScroll: true }); if (!posted) scrollTo(0, 0); }
  });
  document.addEventListener("htmx:error", () => {
    live("No answer: the helper may have stopped. What you typed is still here; try again in a moment.");
  });

  // What is being typed survives a page that is closed or loaded anew; it is taken away once it was sent and answered.
  const keep = (form) => `typed ${form.dataset.keep}`;
  document.addEventListener("input", (event) => {
    const form = event.target.closest("form[data-keep]");
    if (form && event.target.matches("textarea")) sessionStorage.setItem(keep(form), event.target.value);
  });
  function restore() {
    for (const form of all("form[data-keep]")) {
      const area = one("textarea", form), typed = sessionStorage.getItem(keep(form));
      if (typed !== null && area && area.value !== typed) { area.value = typed; live("What you had typed here was put back."); }
    }
  }
  document.addEventListener("htmx:after:request", (event) => {
    const form = event.detail?.ctx?.sourceElement;
    if (form?.matches?.("form[data-keep]") && event.detail.ctx.response?.status < 400) sessionStorage.removeItem(keep(form));
  });

  // How many wait, while the page stands open.
  const source = document.body.dataset.events && window.EventSource ? new EventSource(document.body.dataset.events) : null;
  let known = null;
  source?.addEventListener("waiting", (event) => {
    if (known !== null && known !== event.data) {
      const link = one('[data-go="i"]');
      if (link) { all(".count", link).forEach((count) => count.remove());
        if (event.data !== "0") { const count = document.createElement("span"); count.className = "count"; count.textContent = ` ${event.data}`; link.append(count); } }
    }
    known = event.data;
  });
  addEventListener("pagehide", () => source?.close());
  restore();
})();
