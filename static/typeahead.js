// Names that match what is being typed, as suggestions of the browser's own. find is that of app.js.

const PAUSE = 150;
const MOST = 20;
let pause;

document.addEventListener("input", ({ target }) => {
  if (!("suggest" in target.dataset)) return;
  clearTimeout(pause);
  pause = setTimeout(suggest, PAUSE, target);
});

// Chosen from the suggestions, not typed: where a form says so, that is all it waited for.
document.addEventListener("input", ({ target, inputType = "insertReplacementText" }) => {
  if (inputType !== "insertReplacementText" || !target.list) return;
  target.form?.closest("[data-choose]")?.requestSubmit();
});

async function suggest(input) {
  const text = input.value.trim();
  const query = new URLSearchParams({ q: text, per_page: MOST, sort: "name" });
  const headers = { accept: "application/json" };
  try {
    const answer = await fetch(`${input.dataset.suggest}?${query}`, { headers });
    // Typed on meanwhile: the next answer is on its way.
    if (!answer.ok || input.value.trim() !== text) return;
    const { data } = await answer.json();
    input.list.replaceChildren(...data.map(({ name }) => new Option(name, name)));
  } catch {
    // Without suggestions it is still a field.
  }
}
