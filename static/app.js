// The behaviour of small controls. Every page works without this file, and it writes no markup. keys.js is appended to
// the same script and uses its functions.

const page = document.documentElement;
page.classList.add("js");

function find(selector, within = document) {
  return within?.querySelector(selector) ?? null;
}

// Chromium 156 reports a page that comes before its transition, which nobody awaits.
window.addEventListener("unhandledrejection", (event) => {
  if (/^Transition was aborted/.test(event.reason?.message)) event.preventDefault();
});

const FIELD = "input:not([type=hidden]), select, textarea";

// Clicks

document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll("details:is(.menu, .chooser)[open]")) {
    if (!menu.contains(target) && !target.closest(".toast")) menu.open = false;
  }
  if (target.matches("dialog")) target.close();
  const button = target.closest("button");
  if (!button) return;
  if ("copy" in button.dataset) void copy(button.dataset.copy);
  if ("reveal" in button.dataset) reveal(button);
  if ("fill" in button.dataset) fill(button);
  if ("help" in button.dataset) help();
  if ("print" in button.dataset) window.print();
});

document.addEventListener(
  "toggle",
  ({ target }) => target.matches("details.chooser[open]") && focus(find(FIELD, target)),
  true,
);

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyOnPlainHttp(text);
  }
  say("toasts", "Copied");
}

/** Each text of a list that can be copied gets a button beside it. */
function addCopyButtons(within = document) {
  const button = find("#copy")?.content.firstElementChild;
  // A part beside the list can arrive before it.
  if (!button) return;
  for (const text of within.querySelectorAll("[data-copied]:not(:has(.copy))")) {
    const own = button.cloneNode(true);
    own.dataset.copy = text.textContent;
    own.ariaLabel = `Copy ${text.textContent}`;
    text.append(" ", own);
  }
}

// Browsers allow the clipboard API only on https and localhost; many installations use plain http.
function copyOnPlainHttp(text) {
  const area = document.createElement("textarea");
  const before = document.activeElement;
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  before?.focus();
}

/** Puts the suggested value into its field, into the line of the value that it replaces. */
function fill(button) {
  const field = document.getElementById(button.dataset.fill);
  const given = button.dataset.given.toLowerCase();
  const lines = field.value.split("\n");
  const isGiven = (line) => lines.length < 2 || line.trim().toLowerCase() === given;
  field.value = lines.map((line) => (isGiven(line) ? button.value : line)).join("\n");
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.focus();
}

function reveal(button) {
  const field = document.getElementById(button.dataset.reveal);
  const shows = field.type === "password";
  field.type = shows ? "text" : "password";
  button.setAttribute("aria-pressed", shows);
  button.lastChild.textContent = shows ? " Hide" : " Show";
}

// Messages

function say(where, text) {
  const note = document.createElement("p");
  note.className = where === "toasts" ? "toast" : "note bad";
  note.textContent = text;
  document.getElementById(where).append(note);
  fadeToasts();
}

function clearAlerts() {
  find("#alerts").replaceChildren();
  return true;
}

function fadeToasts() {
  for (const toast of document.querySelectorAll("#toasts > :not([data-seen])")) {
    toast.dataset.seen = "";
    // Its time begins when it is drawn: in a tab that is not looked at, it waits.
    requestAnimationFrame(() => fade(toast));
  }
}

/** A toast with an undo button stays longer. */
function fade(toast) {
  const rest = find("form", toast) ? 10000 : 6000;
  setTimeout(() => (toast.matches(":hover, :focus-within") ? fade(toast) : toast.remove()), rest);
}

// Forms

const confirmed = new WeakSet();

// Runs before htmx and the browser: a form with a confirmation is submitted only after the answer.
document.addEventListener(
  "submit",
  (event) => {
    const { target: form, submitter } = event;
    const { confirm, detail, verb } = { ...form.dataset, ...submitter?.dataset };
    const isTheme = form.matches(".theme");
    const waits = confirm && !confirmed.delete(form);
    if (!waits && !isTheme && form.ariaBusy !== "true") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isTheme) changeTheme(find("button", form));
    if (waits) {
      void confirmDialog({ title: confirm, detail, verb, isBad: submitter?.matches(".bad") }).then(
        (isSure) => {
          if (!isSure) return;
          confirmed.add(form);
          addHidden(form, "confirmed");
          form.requestSubmit(submitter);
        },
      );
    }
  },
  true,
);

/** Tells the server that the user has confirmed, so that it does not show a confirmation page. */
function addHidden(form, name) {
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name, value: "true" });
  form.append(field);
}

document.addEventListener("submit", ({ target: form, defaultPrevented }) => {
  delete form.dataset.changed;
  if (!defaultPrevented && form.matches("[method=post]")) {
    setBusy(form, true);
    setTimeout(setBusy, 5000, form, false);
  }
});

window.addEventListener("pageshow", () => {
  for (const form of document.forms) setBusy(form, false);
});

function setBusy(form, isBusy) {
  form.ariaBusy = isBusy ? "true" : null;
  for (const button of form.querySelectorAll("button:not([type=button])")) {
    button.ariaDisabled = form.ariaBusy;
  }
}

function confirmDialog({ title, detail = "", verb = "Continue", isBad = true }) {
  const dialog = find("#confirm");
  if (!dialog) return Promise.resolve(window.confirm(title));
  find("h2", dialog).textContent = title;
  find("p", dialog).textContent = detail;
  const button = find("[value=ok]", dialog);
  button.textContent = verb;
  button.classList.toggle("bad", isBad);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => resolve(dialog.returnValue === "ok");
  });
}

// Keys pass other options of a select on the way to the one that is wanted, so it waits for the button then.
let isByKey = false;
document.addEventListener("keydown", () => (isByKey = true), true);
document.addEventListener("pointerdown", () => (isByKey = false), true);

document.addEventListener("change", ({ target }) => {
  if (isByKey && target.matches("select")) return;
  if (target.matches("select, [type=checkbox], [type=radio], [type=date]")) {
    target.closest("form[data-auto]")?.requestSubmit();
  }
});

// Rows that are selected

document.addEventListener("change", ({ target }) => {
  if ("all" in target.dataset) for (const box of boxes()) box.checked = target.checked;
  if (target.matches("[form=bulk], #bulk *, [data-all]")) count();
});

function boxes() {
  return [...document.querySelectorAll("#list td > [name=id]")];
}

function count() {
  const all = boxes();
  const selected = all.filter((box) => box.checked);
  const every = find("#bulk [name=all]:checked");
  const number = every ? `All ${every.dataset.total}` : selected.length;
  find("#bulk [data-selected]").textContent = `${number} selected`;
  const box = find("[data-all]");
  if (!box) return;
  box.checked = selected.length === all.length;
  box.indeterminate = !box.checked && selected.length > 0;
}

document.addEventListener("input", ({ target }) => {
  const form = target.form?.closest("[data-guard]");
  if (form) form.dataset.changed = "";
});

window.addEventListener("beforeunload", (event) => {
  if (find("form[data-changed], form[data-guard] .summary")) event.preventDefault();
});

const THEMES = { auto: "automatic", light: "light", dark: "dark" };

function changeTheme(button) {
  const names = Object.keys(THEMES);
  const after = (name) => names[(names.indexOf(name) + 1) % names.length];
  const theme = after(page.dataset.theme);
  page.dataset.theme = theme;
  button.value = after(theme);
  button.title = button.ariaLabel = `Theme: ${THEMES[theme]}`;
  const secure = location.protocol === "https:" ? "; secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: cookieStore is not there on plain http
  document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=lax${secure}`;
}

// htmx

// Of what live.js asks for, only what the user wants to see replaces a form that is being filled in.
document.addEventListener("htmx:config:request", ({ detail: { ctx } }) => {
  if (ctx.live && !ctx.live.isWanted) return;
  const form = find("form[data-changed]", ctx.target);
  if (form && !form.contains(ctx.sourceElement)) ctx.confirm ??= "Leave without saving?";
});

document.addEventListener("htmx:confirm", (event) => {
  const { ctx, issueRequest, dropRequest } = event.detail;
  event.preventDefault();
  const { detail, verb } = ctx.sourceElement.dataset;
  void confirmDialog({ title: ctx.confirm, detail, verb }).then((isSure) =>
    (isSure ? issueRequest : dropRequest)(),
  );
});

const pauses = new WeakMap();
const sentAgain = new WeakSet();

// A search while typing that was refused because the service was busy is sent once more.
document.addEventListener("htmx:before:response", (event) => {
  const { sourceElement: form, response } = event.detail.ctx;
  const isSecond = sentAgain.delete(form);
  const seconds = Number(response.headers.get("retry-after"));
  if (isSecond || response.status !== 503 || !seconds || !form.matches("form[method=get]")) return;
  event.preventDefault();
  say("alerts", "Server busy, trying again");
  pauses.set(form, setTimeout(sendAgain, seconds * 1000, form));
});

function sendAgain(form) {
  sentAgain.add(form);
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
  clearTimeout(pauses.get(ctx.sourceElement));
  if (ctx.live) return;
  clearAlerts();
  if (ctx.sourceElement.matches("form[method=post]")) setBusy(ctx.sourceElement, true);
});

document.addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  if (ctx.sourceElement.matches("form")) setBusy(ctx.sourceElement, false);
});

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  if (ctx.live) return;
  // htmx 4.0.1: if the response chose its own target, ctx.target is a selector, not an element.
  if (ctx.target.matches?.("[popover]")) ctx.target.showPopover({ source: ctx.sourceElement });
  else if (ctx.target.matches?.("dialog:not([open])")) ctx.target.showModal();
  syncSelects(ctx.target);
  countFilters();
  addCopyButtons();
  fadeToasts();
  focusError();
});

document.addEventListener("htmx:error", ({ detail }) => {
  if (detail.ctx && !detail.ctx.live) say("alerts", "The server did not respond. Try again");
});

/** A morph sets the attribute `selected`, which a select ignores once the user has changed it. */
function syncSelects(target) {
  for (const option of target.querySelectorAll?.("select option[selected]") ?? []) {
    option.selected = true;
  }
}

/** The form of the filters stays while the list is replaced. */
function countFilters() {
  const number = find(".fold .count");
  if (number) number.textContent = document.querySelectorAll("#list > .chips a").length || "";
}

function focusError() {
  const error = find("[aria-invalid=true]");
  if (error && !error.form?.contains(document.activeElement)) error.focus();
}

// On narrow screens these rows scroll: the link of the current page has to be visible.
for (const link of document.querySelectorAll(":is(.sections, .tabs) [aria-current]")) {
  const row = link.parentElement;
  row.scrollLeft = link.offsetLeft - row.offsetLeft - link.offsetWidth;
}

addCopyButtons();
fadeToasts();
focusError();

// What others change: not needed before the page is loaded, and on many pages not at all.
window.addEventListener("load", () => {
  const script = find("[data-live]") && find("meta[name=live]")?.content;
  if (script) void import(script);
});

// The installed app opens at the list or record that its user saw last. Logging out clears the storage.
if (matchMedia("(display-mode: standalone)").matches) {
  const { pathname, search } = location;
  const key = `last of ${find(".bar .menu span")?.textContent}`;
  const last = localStorage.getItem(key);
  if (search !== "?source=app") {
    if (find("[data-live]")) localStorage.setItem(key, pathname + search);
  } else if (last) location.replace(last);
}

// What a part of the page needs once somebody does something.
for (const kind of ["pointerdown", "keydown", "dragenter"]) {
  document.addEventListener(kind, loadScripts, { once: true, capture: true });
}

function loadScripts() {
  const script = find("[data-script]")?.dataset.script;
  if (script) void import(script);
}
