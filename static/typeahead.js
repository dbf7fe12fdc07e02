// Suggests matching names while typing, in the datalist of the browser. find is defined in app.js.

const PAUSE = 150;
const MOST = 20;
let pause;

document.addEventListener("input", ({ target }) => {
  if (!("suggest" in target.dataset)) return;
  clearTimeout(pause);
  pause = setTimeout(suggest, PAUSE, target);
});

// A suggestion was chosen: submits the form if it asks for that.
document.addEventListener("input", ({ target, inputType = "insertReplacementText" }) => {
  if (inputType !== "insertReplacementText" || !target.list) return;
  target.form?.closest("[data-choose]")?.requestSubmit();
});

// The browser shows only what has the text as it is: not those names that have its words apart.
function labelFor(name, text) {
  return name.toLowerCase().includes(text.toLowerCase()) ? name : `${name} · ${text}`;
}

async function suggest(input) {
  const text = input.value.trim();
  const query = new URLSearchParams({ q: text, per_page: MOST, sort: "name" });
  const headers = { accept: "application/json" };
  try {
    const answer = await fetch(`${input.dataset.suggest}?${query}`, { headers });
    // The text has changed meanwhile: another request follows.
    if (!answer.ok || input.value.trim() !== text) return;
    const { data } = await answer.json();
    input.list.replaceChildren(...data.map(({ name }) => new Option(labelFor(name, text), name)));
  } catch {
    // The field works without suggestions.
  }
}
