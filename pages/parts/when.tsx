// A time. The script says how long ago it was, and when exactly in the zone of the browser; without it, it is in UTC.

export function When({ at }: { at: string }) {
  return (
    <time datetime={`${at.replace(" ", "T")}Z`} title={`${at} UTC`} data-ago>
      {at}
    </time>
  );
}
