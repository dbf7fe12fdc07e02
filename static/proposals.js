// A field of a form can ask for a part of the form with proposals for other fields. What the user typed or chose while
// the answer was on its way stays. find and FIELD are defined in app.js.

const editedAt = new WeakMap();
const sentAt = new WeakMap();

for (const kind of ["input", "change"]) {
  document.addEventListener(kind, ({ target }) => editedAt.set(target, performance.now()), true);
}

document.addEventListener("htmx:config:request", ({ detail: { ctx } }) =>
  sentAt.set(ctx, performance.now()),
);

document.addEventListener("htmx:before:swap", ({ detail: { ctx, tasks } }) => {
  if (!ctx.sourceElement?.form) return;
  for (const { fragment } of tasks) {
    for (const fresh of fragment.querySelectorAll(FIELD)) keepEntered(fresh, ctx);
  }
});

function keepEntered(fresh, ctx) {
  const old = fresh.id && document.getElementById(fresh.id);
  if (!old || old.form !== ctx.sourceElement.form) return;
  const isEdited = editedAt.get(old) > sentAt.get(ctx);
  if (!isEdited && !(old === document.activeElement && isText(old))) return;
  copyEntry(old, fresh);
  // The response also replaces the note below the field: the text is checked again.
  if (isEdited && isText(old)) ctx.edited = [...(ctx.edited ?? []), old.id];
}

document.addEventListener("htmx:after:swap", ({ detail: { ctx } }) => {
  for (const id of ctx.edited ?? []) {
    document.getElementById(id)?.dispatchEvent(new Event("input", { bubbles: true }));
  }
});

function isText(field) {
  return !field.matches("select, [type=checkbox], [type=radio]");
}

/** In the attributes, because a morph of htmx copies only these. */
function copyEntry(old, fresh) {
  if (fresh.matches("select")) {
    const same = [...fresh.options].find(({ value }) => value === old.value);
    if (same)
      for (const option of fresh.options) option.toggleAttribute("selected", option === same);
  } else if (isText(fresh)) {
    if (fresh.matches("textarea")) fresh.textContent = old.value;
    else fresh.setAttribute("value", old.value);
  } else fresh.toggleAttribute("checked", old.checked);
}
