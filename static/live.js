// What others change while a page is open. One tab of a browser has the stream of changes and passes each on to the other
// tabs. A part of a page with data-live names what it shows (see pages/records/live.tsx): when a change concerns it, the
// server is asked for it again, and what is new in it is marked. find, FIELD, addCopyButtons, sayTimes, heardAt, RECENT, wordsOf
// and addTabStop are defined in the other scripts, RULES in mod.ts.

const PARTS = "[data-live]:not([data-live] *)";
/** Milliseconds. Many pages hear of a change at the same moment: they do not ask at the same moment. */
const SPREAD = 1_500;
/** Between two requests for a part; longer if the service takes long to answer. */
const REST = 2_000;
const REST_RATIO = 5;
const REST_AFTER_ERROR = 15_000;
/** Of the page of a job, which is announced at most once a second, and which hardly anybody else looks at. */
const REST_OF_JOB = 500;
const MARKED = 2_000;

const rules = new CSSStyleSheet();
rules.replaceSync(RULES);
document.adoptedStyleSheets.push(rules);
const status = made("p", { className: "hidden", role: "status" });
const offers = made("div", { className: "offers", role: "status" });
document.body.append(status, offers);

function made(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

// The stream

const CHANNEL = "live";
/** Hidden for so long, a tab gives up the stream. Without locks each tab has its own, so at once. */
const PATIENCE = navigator.locks ? 180_000 : 0;
const MOST_REFUSED = 3;
const SLOWEST_RETRY = 60;
const MOST_KEPT = 100;

const channel = new BroadcastChannel(CHANNEL);
/** For pages that open while changes arrive. */
const recent = [];
let hasStream = false;
/** A tab of this browser has the stream, and it works. */
let isOn = false;
let newest;
let source;
let retrying;
let failures = 0;
/** While this tab has the stream, or waits for its turn. */
let membership;
let leaving;

channel.onmessage = ({ data }) => {
  if (data.change) hear(data.change);
  else if (data.job) hearOfJob(data.job);
  else if (data.words) hearWords(data.words);
  else if (data.isOver) leave();
  else if (data.since && hasStream) {
    for (const one of recent) if (one.at >= data.since) channel.postMessage({ change: one.change });
    channel.postMessage({ isOn });
  } else if ("isOn" in data && !hasStream) setOn(data.isOn);
};

function join() {
  clearTimeout(leaving);
  if (membership || document.hidden) return;
  membership = new AbortController();
  const { signal } = membership;
  const have = () => haveStream(signal);
  if (navigator.locks) navigator.locks.request(CHANNEL, { signal }, have).catch(() => {});
  else void have();
}

/** Until the tab leaves. The browser gives the lock of a closed tab to the next one. */
function haveStream(signal) {
  if (signal.aborted) return undefined;
  hasStream = true;
  connect();
  return new Promise((end) => signal.addEventListener("abort", end));
}

function leave() {
  membership?.abort();
  membership = undefined;
  if (hasStream) announce(false);
  hasStream = false;
  disconnect();
}

function announce(isWorking) {
  channel.postMessage({ isOn: isWorking });
  setOn(isWorking);
}

function connect() {
  // A change can take a moment from its time to its commit.
  const age = (performance.now() / 1_000 + 1).toFixed(3);
  source = new EventSource(newest ? `/live?after=${newest}` : `/live?age=${age}`);
  source.addEventListener("open", () => {
    failures = 0;
    announce(true);
  });
  source.addEventListener("error", reconnect);
  source.addEventListener("change", ({ data }) => {
    const change = JSON.parse(data);
    channel.postMessage({ change });
    hear(change);
  });
  source.addEventListener("job", ({ data }) => {
    const { id } = JSON.parse(data);
    channel.postMessage({ job: id });
    hearOfJob(id);
  });
  source.addEventListener("again", ({ data }) => {
    const { words } = JSON.parse(data);
    channel.postMessage({ words });
    hearWords(words);
  });
}

function disconnect() {
  clearTimeout(retrying);
  source?.close();
  source = undefined;
}

/** The browser would not spread the requests of all tabs after a restart of the service. */
function reconnect() {
  const isRefused = source.readyState === EventSource.CLOSED;
  disconnect();
  announce(false);
  failures += 1;
  if (isRefused && failures > MOST_REFUSED) {
    channel.postMessage({ isOver: true });
    leave();
    return;
  }
  const seconds = Math.min(SLOWEST_RETRY, 2 ** failures) * (0.5 + Math.random());
  retrying = setTimeout(connect, seconds * 1_000);
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(leaving);
  if (document.hidden) leaving = setTimeout(leave, PATIENCE);
  else {
    join();
    for (const part of document.querySelectorAll(PARTS)) plan(part);
  }
});
window.addEventListener("pagehide", leave);
window.addEventListener("pageshow", join);
(window.requestIdleCallback ?? setTimeout)(join);
// What was committed while this page was on its way.
channel.postMessage({ since: performance.timeOrigin });

function hear(change) {
  if (recent.some((one) => one.change.set === change.set)) return;
  change.heard = Date.now();
  recent.push({ at: change.heard, change });
  if (recent.length > MOST_KEPT) recent.shift();
  newest = change.set;
  take(change);
}

// The parts of the page

const TIMES = "time[data-ago]";
const states = new WeakMap();

function stateOf(part) {
  if (!states.has(part)) states.set(part, { changes: [], held: [], notBefore: 0 });
  return states.get(part);
}

function take(change) {
  for (const part of document.querySelectorAll(PARTS)) {
    if (!concerns(part, change)) continue;
    stateOf(part).changes.push(change);
    plan(part);
  }
}

function concerns({ dataset }, { records, more }) {
  const words = dataset.live.split(" ");
  return (
    more ||
    words.includes("*") ||
    records.some((record) => words.some((word) => matches(word, record)))
  );
}

function matches(word, { kind, id, action, fields, owner }) {
  const [table, field] = word.split(".");
  if (!field) {
    return [kind, `${kind}:${id}`, owner?.kind, `${owner?.kind}:${owner?.id}`].includes(word);
  }
  return table === kind && (action !== "update" || fields.includes(field));
}

/** A page that nobody looks at is asked for when it is looked at; but the file of a job is waited for. */
function plan(part) {
  const state = stateOf(part);
  const isJob = part.matches(JOBS);
  const isIdle = () => (isJob ? hasEnded(part) : document.hidden);
  if (isIdle() || state.timer || state.asking || state.changes.length === 0) return;
  const pause = Math.max(isJob ? 0 : Math.random() * SPREAD, state.notBefore - Date.now());
  state.timer = setTimeout(() => {
    state.timer = undefined;
    if (isIdle() || !part.isConnected) return;
    if (find("form[aria-busy=true]")) {
      state.notBefore = Date.now() + REST;
      plan(part);
    } else void ask(part);
  }, pause);
}

// Jobs: a job whose page is open asks for itself again and again, but not while the stream says when it has got on.

const JOBS = "[data-live^='jobs:']";
const JOB_LIST = "[data-live=jobs]";

function hasEnded(part) {
  return !find("progress", part);
}

function hearOfJob(id) {
  for (const part of document.querySelectorAll(`[data-live="jobs:${id}"], ${JOB_LIST}`))
    askAgain(part);
}

/** Something of these parts is different that is no change, or that is hidden. */
function hearWords(words) {
  for (const part of document.querySelectorAll(PARTS)) {
    if (["*", ...part.dataset.live.split(" ")].some((word) => words.includes(word))) askAgain(part);
  }
}

function askAgain(part) {
  stateOf(part).changes.push({ records: [] });
  plan(part);
}

/** What happened before, or will happen without the stream. */
function setOn(isWorking) {
  if (isOn === isWorking) return;
  isOn = isWorking;
  for (const part of document.querySelectorAll(`${JOBS}, ${JOB_LIST}`)) askAgain(part);
  askForPending();
}

document.addEventListener("htmx:before:request", (event) => {
  const { live, sourceElement } = event.detail.ctx;
  if (isOn && !live && sourceElement.closest(JOBS)) event.preventDefault();
});

// Without the stream nobody announces the end of a job of another server, for which the page of a host waits.

const PENDING_PAUSE = 5_000;

setInterval(() => {
  if (!document.hidden && !isOn) askForPending();
}, PENDING_PAUSE);

function askForPending() {
  for (const pending of document.querySelectorAll("[data-pending]")) {
    const part = pending.closest(PARTS);
    if (part && stateOf(part).held.length === 0) askAgain(part);
  }
}

function isInUse(part) {
  const focused = document.activeElement;
  const selection = getSelection();
  return (
    find("dialog[open]") ||
    (part.contains(focused) && focused.matches(FIELD)) ||
    find(":is(.chooser, .menu)[open], [data-changed], [aria-invalid], [role=alert], .job", part) ||
    find("td > :checked", part) ||
    [...part.querySelectorAll(FIELD)].some(isEdited) ||
    (!selection.isCollapsed && part.contains(selection.anchorNode))
  );
}

function isEdited(field) {
  if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
  return field.matches("select") ? edited.has(field) : field.value !== field.defaultValue;
}

const edited = new WeakSet();
document.addEventListener("change", ({ target }) => edited.add(target));

/** In use, a part stays as it is until its user wants to see the changes. */
function offer(part) {
  const state = stateOf(part);
  const count = othersOf(state.held).length;
  const text = count === 1 ? "1 change" : `${count} changes`;
  if (state.offer?.isConnected) {
    state.offer.firstChild.textContent = text;
    return;
  }
  const button = made("button", { type: "button", textContent: "Show" });
  // After the click, which would be outside an open menu if its button were gone.
  button.addEventListener("click", () => setTimeout(ask, 0, part, true));
  state.offer = tell(text, button);
  state.offer.part = part;
}

/** A toast that stays. */
function tell(text, ...more) {
  const toast = made("div", { className: "toast" });
  toast.append(made("p", { textContent: text }), ...more);
  offers.append(toast);
  return toast;
}

// Asking for a part

const own = new Set();
document.addEventListener("htmx:after:request", ({ detail: { ctx } }) => {
  if (ctx.request.method !== "GET") own.add(ctx.response.headers.get("x-request-id"));
});

/** Those that were not made on this page. */
function othersOf(changes) {
  return changes.filter(({ request }) => !own.has(request));
}

async function ask(part, isWanted = false) {
  const { id, dataset } = part;
  const state = stateOf(part);
  // htmx would only queue a second request.
  await state.asking;
  const changes = [...state.held.splice(0), ...state.changes.splice(0)];
  if (isWanted) state.offer?.remove();
  const live = { part, isWanted, address: location.href, changes };
  const begin = Date.now();
  const options = {
    source: part,
    target: part,
    swap: dataset.from ? "innerHTML" : "outerMorph",
    select: dataset.from || id === "list" ? undefined : `#${id}`,
    headers: { "HX-Live": "true" },
    live,
  };
  const asking = htmx.ajax("GET", dataset.from ?? location.pathname + location.search, options);
  state.asking = asking.finally(() => (state.asking = undefined));
  await state.asking;
  const usual = part.matches(JOBS) ? REST_OF_JOB : REST;
  const rest = live.isAnswered ? usual : REST_AFTER_ERROR;
  if (!live.isAnswered) state.changes.unshift(...changes);
  state.notBefore = Date.now() + Math.max(rest, REST_RATIO * (Date.now() - begin));
  plan(part);
}

// Nothing but the part itself is shown: no error page, and no form to log in.
document.addEventListener("htmx:before:response", (event) => {
  const { live, response } = event.detail.ctx;
  if (!live) return;
  // The address is that of the page already.
  delete event.detail.ctx.hx.pushurl;
  if (response.raw.ok) return;
  event.preventDefault();
  live.isAnswered = response.status < 500;
  if (response.status === 404) sayGone(live);
});

/** The record of the page is deleted, or has another address. */
function sayGone({ part, changes }) {
  const words = part.dataset.live.split(" ");
  for (const { user, records } of changes) {
    const record = records.find(({ kind, id }) => words.includes(`${kind}:${id}`));
    const verb = record?.action === "delete" ? "deleted" : "renamed it to";
    if (record) tell(`${user ?? "System"} ${verb} ${record.name}`);
  }
  delete part.dataset.live;
}

document.addEventListener("htmx:before:swap", (event) => {
  const { ctx, tasks } = event.detail;
  const { live } = ctx;
  if (!live) return;
  const { part, address, changes, isWanted } = live;
  live.isAnswered = true;
  // The file of a job is downloaded once.
  if (part.matches(JOBS) && hasEnded(part)) return event.preventDefault();
  const task = tasks.find(({ type }) => type === "main");
  noteTimes(task?.fragment, part, changes);
  if (part.dataset.from) return;
  const isSame = task?.fragment.firstElementChild?.id === part.id && location.href === address;
  if (!isSame) return event.preventDefault();
  dress(task.fragment, part);
  const others = othersOf(changes);
  const isChanged = others.length > 0 && mark(part, task.fragment);
  if (!isWanted && isInUse(part)) {
    event.preventDefault();
    if (!isChanged) return;
    stateOf(part).held.push(...changes);
    return offer(part);
  }
  if (isChanged) status.textContent = sentence(others);
  stateOf(part).offer?.remove();
  tasks.splice(0, tasks.length, task);
  const typed = [...part.querySelectorAll(FIELD)].filter((field) => field.id && isEdited(field));
  live.typed = typed.map(({ id, value }) => [id, value]);
  live.focused = part.contains(document.activeElement) ? document.activeElement : null;
});

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  const { live, response } = ctx;
  for (const toast of [...offers.children]) if (toast.part?.isConnected === false) toast.remove();
  if (!live) return;
  const { part, focused, typed = [] } = live;
  for (const [id, value] of typed) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
  setTimeout(() => {
    for (const one of part.querySelectorAll("[data-fresh]")) one.removeAttribute("data-fresh");
  }, MARKED);
  if (focused && !focused.isConnected) {
    const again = [...part.querySelectorAll(focused.localName)];
    again.find((one) => nameOf(one) === nameOf(focused))?.focus({ preventScroll: true });
  }
  const { pathname, search } = new URL(response.raw.url);
  if (!part.dataset.from && pathname !== location.pathname) {
    history.replaceState(history.state, "", pathname + search);
  }
});

/** What has just come happened just now, for its first minute. */
function noteTimes(fragment, part, changes) {
  const shown = new Set([...part.querySelectorAll(TIMES)].map(wordsOf));
  const heard = Math.max(...changes.map((change) => change.heard));
  for (const time of fragment?.querySelectorAll(TIMES) ?? []) {
    const words = wordsOf(time);
    if (!shown.has(words) && heard - new Date(time.dateTime) < RECENT) heardAt.set(words, heard);
  }
}

function nameOf(element) {
  return element.ariaLabel ?? element.textContent;
}

/** What scripts and the user have done to the part. */
function dress(fragment, part) {
  for (const one of [fragment, part]) sayTimes(one);
  addCopyButtons(fragment);
  addTabStop(fragment);
  for (const field of fragment.querySelectorAll("[autofocus]")) field.removeAttribute("autofocus");
  const opened = [...part.querySelectorAll("details[open] > summary")].map(nameOf);
  for (const summary of fragment.querySelectorAll("details > summary")) {
    if (opened.includes(nameOf(summary))) summary.parentElement.open = true;
  }
}

// Marks

const UNITS = "td, dd, li, h1, .lead, [data-map] svg > :is(a, rect)";

/** Marks what the part does not show yet. Returns whether anything is different. */
function mark(part, fragment) {
  const before = new Set([...part.querySelectorAll(UNITS)].map(keyOf));
  const after = new Set();
  let isChanged = false;
  for (const unit of fragment.querySelectorAll(UNITS)) {
    const key = keyOf(unit);
    after.add(key);
    if (before.has(key) || unit.parentElement.closest("[data-fresh]")) continue;
    unit.dataset.fresh = "";
    isChanged = true;
  }
  return isChanged || [...before].some((key) => !after.has(key));
}

/** The text of a cell, a value or a square, and where it is. */
function keyOf(unit) {
  const { localName, parentElement: outer, previousElementSibling: beside } = unit;
  const place = {
    td: () => [outer.id || textOf(outer.cells[0]), unit.cellIndex],
    dd: () => [textOf(beside)],
  };
  const where = place[localName]?.() ?? [localName, unit.getAttribute("class")];
  return [...where, textOf(unit)].join("\n");
}

function textOf(element) {
  return element?.textContent.replace(/\s+/g, " ").trim();
}

const MOST_NAMED = 3;

function sentence(changes) {
  const records = changes.flatMap((change) => change.records);
  const names = [...new Set(records.map(({ name, owner }) => owner?.name ?? name))];
  const rest = names.length - MOST_NAMED;
  const users = [...new Set(changes.map(({ user }) => user ?? "system"))];
  const named = names.slice(0, MOST_NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  const isGone = records.length > 0 && records.every(({ action }) => action === "delete");
  if (names.length === 0) return "Updated";
  return `${isGone ? "Deleted" : "Updated"}: ${named}, by ${users.join(", ")}`;
}
