// Keyboard shortcuts. Those without Ctrl, except Escape, are off in fields; all are off with data-keys="off" on
// the html element. find, FIELD and clearAlerts are defined in app.js.

const LONG_AGO = 1500;
let wentAt = 0;

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.altKey) return;
  if (answer(event)) event.preventDefault();
});

function answer(event) {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey) return answerControl(event);
  if (find("dialog:is([open], :popover-open)")) return key === " " && leavePreview(target);
  if (key === "Escape") return leave(target);
  if (isField(target) || page.dataset.keys === "off") return false;
  return answerPlain(key, target);
}

function answerControl({ key, shiftKey, target }) {
  if (key === "k") return focus(find(".omnibox input"));
  const form = key === "Enter" && target.closest("form");
  if (!form) return false;
  const button = find(shiftKey ? "[name=again]" : "button.primary", form);
  if (shiftKey && !button) return false;
  form.requestSubmit(button);
  return true;
}

function answerPlain(key, target) {
  const goes = Date.now() - wentAt < LONG_AGO;
  wentAt = 0;
  const name = CSS.escape(key);
  if (goes) return press(find(`[data-go^="${name}"]`));
  if (key === "g") {
    wentAt = Date.now();
    return true;
  }
  const row = target.closest("table.list tbody tr");
  if (key === "?") return help();
  if (key === "/") return focus(find(".omnibox input"));
  if (key === "j") return move(row, 1);
  if (key === "k") return move(row, -1);
  if (key === "b") return focus(find("#bulk :is(label:not(.no-js-only) input, button)"));
  if (key === "x") return press(find("input[type=checkbox]", row));
  if (key === " " && row && !target.matches("input, button")) return preview(row);
  if (key === "o" || (key === "Enter" && target === row)) return press(find("a.open", row));
  return press(find(`[data-key="${name}"]`));
}

function isField(element) {
  return element.matches("textarea, select, input:not([type=checkbox], [type=radio])");
}

function focus(field) {
  field?.focus();
  field?.select?.();
  return field !== null;
}

/** Focuses the first field of a row that adds a record; clicks anything else. */
function press(element) {
  if (!element) return false;
  const inline = element.closest("form.inline");
  if (inline) return focus(find(FIELD, inline));
  element.click();
  return true;
}

function move(row, step) {
  const rows = [...document.querySelectorAll("table.list tbody tr")];
  const from = row ?? find("table.list tr[aria-selected=true]");
  const at = Math.min(rows.indexOf(from) + step, rows.length - 1);
  const next = rows[Math.max(0, at)];
  if (!next) return false;
  next.tabIndex = -1;
  (find("a.open", next) ?? next).focus();
  return true;
}

/** Opens the link of a row in the panel beside the list, if the list has one. */
function preview(row) {
  const link = find("#preview") && find("a.open", row);
  link?.dispatchEvent(new Event("preview"));
  return Boolean(link);
}

/** The key that opened the preview closes it, unless a button has the focus. */
function leavePreview(target) {
  const dialog = find("#preview[open]");
  if (!dialog || target.matches("button")) return false;
  dialog.close();
  return true;
}

function help() {
  find("#keys").showModal();
  return true;
}

/** Escape closes what is open, leaves the field, or goes back, in this order. */
function leave(target) {
  const menu = find("details:is(.menu, .chooser)[open]");
  if (menu) {
    menu.open = false;
    return focus(find("summary", menu));
  }
  if (find("#alerts > *")) return clearAlerts();
  if (isField(target)) {
    if (target.type === "search" && target.value) return false;
    target.blur();
    return true;
  }
  return press(find(".panel > header a, [data-key=Escape]") ?? find(".sheet .buttons a.quiet"));
}
