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

function sayTimes(within = document) {
  for (const time of within.querySelectorAll("time[data-ago]")) {
    const moment = new Date(time.dateTime);
    const seconds = Math.max(0, (Date.now() - moment) / 1_000);
    const [unit, length] = UNITS.find(([, , most]) => seconds < most) ?? [];
    time.title = EXACT.format(moment);
    time.textContent = unit
      ? seconds < 60
        ? "just now"
        : AGO.format(-Math.floor(seconds / length), unit)
      : DAY.format(moment);
  }
}

sayTimes();
setInterval(() => sayTimes(), 60_000);
document.addEventListener("htmx:after:swap", () => sayTimes());
