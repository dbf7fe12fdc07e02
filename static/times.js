// Times in the zone of the browser. The server writes them in UTC.

const ZONED = new Intl.DateTimeFormat([], {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  timeZoneName: "short",
});

function showTimes(within) {
  for (const time of within.querySelectorAll?.("time[datetime]") ?? []) {
    const text = ZONED.format(new Date(time.dateTime));
    if ("exact" in time.dataset) time.textContent = text;
    else time.title = text;
  }
}

document.addEventListener("htmx:after:swap", () => showTimes(document));
showTimes(document);
