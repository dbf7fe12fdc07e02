// The one box: results open below it, the arrow keys select one, Enter opens it. Also the explanation of the query of a
// list. find and press are defined in app.js and keys.js.

const OPTIONS = "#palette [role=option]";

function setOpen(box, isOpen) {
  find("#palette").hidden = !isOpen;
  box.ariaExpanded = isOpen;
  select(box, null);
}

/** Selects an option, or none. */
function select(box, option) {
  const before = document.getElementById("selected-option");
  before?.removeAttribute("id");
  before?.removeAttribute("aria-selected");
  if (option) {
    option.id = "selected-option";
    option.ariaSelected = "true";
    option.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", option.id);
  } else box.removeAttribute("aria-activedescendant");
}

function walk(box, step) {
  const options = [...document.querySelectorAll(OPTIONS)];
  const at = options.findIndex(({ id }) => id === "selected-option");
  const next = at < 0 && step < 0 ? options.length - 1 : at + step;
  setOpen(box, options.length > 0);
  select(box, options[next]);
}

// Runs before keys.js, which ignores events that are handled here.
document.addEventListener(
  "keydown",
  (event) => {
    const box = event.target.closest("[role=combobox]");
    if (!box || event.isComposing || event.ctrlKey || event.metaKey) return;
    const option = document.getElementById("selected-option");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) walk(box, step);
    else if (event.key === "Enter" && option) press(option);
    else if (event.key === "Escape" && box.ariaExpanded === "true") setOpen(box, false);
    else return;
    event.preventDefault();
  },
  true,
);

// The selected option belonged to the previous text.
document.addEventListener("input", ({ target }) => {
  if (target.matches("[role=combobox]")) select(target, null);
});

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  const box = find("[role=combobox]");
  if (ctx.target.id === "palette") setOpen(box, ctx.target.childElementCount > 0);
  const query = find("#query");
  if (query) query.ariaInvalid = find("#understood .error") ? "true" : null;
});
