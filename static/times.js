// Times

const AGO = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const EXACT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
/** The seconds of each unit, and the age in seconds up to which it is used; older times are shown as dates. */
const UNITS = [
  ["minute", 60, 3_600],
  ["hour", 3_600, 86_400],
  ["day", 86_400, 30 * 86_400],
];

/** By how many seconds clocks may differ; what is further ahead is shown as a date. */
const FAST_CLOCK = 300;

/** When the page heard of what it shows, by its words: moments are to the minute, and may be a minute old when they come. */
const heardAt = new Map();
/** Milliseconds after which a moment is old in any case. */
const RECENT = 120_000;

function sayTimes(within = document) {
  for (const time of within.querySelectorAll("time[data-ago]")) {
    const moment = new Date(time.dateTime);
    const isRecent = heardAt.size > 0 && Date.now() - moment < RECENT;
    const since = (isRecent && heardAt.get(wordsOf(time))) || moment;
    const seconds = (Date.now() - since) / 1_000;
    const [unit, length] = UNITS.find(([, , most]) => seconds > 0 && seconds < most) ?? [];
    time.title = EXACT.format(moment);
    if (seconds > -FAST_CLOCK && seconds < 60) time.textContent = "just now";
    else
      time.textContent = unit
        ? AGO.format(-Math.floor(seconds / length), unit)
        : DAY.format(moment);
  }
}

/** Its moment, and the words around it. */
function wordsOf(time) {
  const around = (time.closest("p, li, tr, dd") ?? time).cloneNode(true);
  for (const one of around.querySelectorAll("time")) one.textContent = one.dateTime;
  return around.textContent.replace(/\s+/g, " ").trim();
}

sayTimes();
setInterval(() => sayTimes(), 60_000);
document.addEventListener("htmx:after:swap", () => sayTimes());
