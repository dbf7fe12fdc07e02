// The address map of a network: one tab stop; the arrow keys move between squares.

const COLUMNS = 16;
const STEPS = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: COLUMNS, ArrowUp: -COLUMNS };

function squaresOf(map) {
  return [...map.querySelectorAll(".blocks svg > :is(a, rect)")];
}

/** Of all squares, the first link is where Tab goes. */
function addTabStop(within) {
  for (const map of within.querySelectorAll("[data-map]")) {
    const squares = squaresOf(map);
    for (const square of squares) square.setAttribute("tabindex", -1);
    squares.find((square) => square.matches("a"))?.setAttribute("tabindex", 0);
  }
}

addTabStop(document);

document.addEventListener("keydown", (event) => {
  const map = event.target.closest("[data-map]");
  const step = STEPS[event.key];
  if (!map || !step || event.ctrlKey || event.metaKey || event.altKey) return;
  const squares = squaresOf(map);
  const next = squares[squares.indexOf(event.target) + step];
  event.preventDefault();
  if (!next) return;
  event.target.setAttribute("tabindex", -1);
  next.setAttribute("tabindex", 0);
  next.focus();
});
