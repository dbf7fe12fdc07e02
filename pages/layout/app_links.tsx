// What the head of each page tells phones, which install the site as an app: its manifest, its icon, the colour of its bar.
import { asset } from "../../static/mod.ts";

export const MANIFEST = "/manifest.webmanifest";
/** As --bar-ground in static/app.css. */
export const BAR_COLOURS = { light: "#0c3b42", dark: "#0a2c31" } as const;

export function AppLinks() {
  return (
    <>
      <link rel="manifest" href={MANIFEST} />
      <link rel="apple-touch-icon" href={asset("icon-192.png")} />
      {Object.entries(BAR_COLOURS).map(([scheme, colour]) => (
        <meta name="theme-color" content={colour} media={`(prefers-color-scheme: ${scheme})`} />
      ))}
    </>
  );
}
