import { changePath } from "../../../src/history/words.ts";
import type * as favorites from "../../../src/inventory/attributes/favorites.ts";
import type { ScanOutcome } from "../../../src/inventory/scan/apply.ts";
import { SCAN_ACTIONS, type ScanMeaning } from "../../../src/inventory/scan/scan_desk.ts";
import { asset } from "../../../static/mod.ts";
import { PageHead } from "../../layout/page_head.tsx";
import { countOf } from "../../parts/count.ts";
import { Icon } from "../../parts/icon.tsx";
import { Qr } from "../../parts/qr.tsx";
import { useFrame, useHx } from "../../request/frame.ts";
import { appliedItems } from "../../texts.ts";
import { Scanned, type ScannedProps } from "./scanned_list.tsx";

const PATH = "/inventory/scanner";

interface Props {
  shown: ScannedProps;
  favorites: favorites.Favorite[];
  tested: TestedText | undefined;
  done: AppliedScan | undefined;
}

export function ScannerPage({ shown, favorites: mine, tested, done }: Props) {
  const { nonce } = useFrame();
  return (
    <>
      <PageHead title="Scan desk" lead="Scan a location, then the items" />
      {!shown.mayApply && (
        <p class="note">
          You can look items up here. Applying scans needs the group inventory; an administrator can
          add you to it.
        </p>
      )}
      {done && <Applied done={done} />}
      <Entry />
      <Scanned {...shown} />
      <Codes favorites={mine} />
      <SetUp tested={tested} />
      <script src={asset("scan.js")} nonce={nonce} defer />
    </>
  );
}

export type AppliedScan = ScanOutcome & { change_set: number };

function Applied({ done }: { done: AppliedScan }) {
  const { change_set, ics_ids } = done;
  const labels = new URLSearchParams(ics_ids.map((id) => ["ics_id", id]));
  return (
    <section class="note good" aria-labelledby="applied-title">
      <p id="applied-title" role="status">
        {appliedItems(done)}. <a href={changePath(change_set)}>Show or undo the change</a>
      </p>
      {ics_ids.length > 0 && (
        <>
          <ul class="applied">
            {ics_ids.map((id) => (
              <li>
                <a class="mono" href={`/inventory/items/view/${id}`}>
                  {id}
                </a>
              </li>
            ))}
          </ul>
          <a class="button" href={`/inventory/items/labels?${labels}`}>
            <Icon name="printer" /> Print {countOf(ics_ids.length, "label")}
          </a>
        </>
      )}
    </section>
  );
}

function Entry() {
  const hx = useHx();
  return (
    <>
      <form
        id="desk"
        class="scan"
        method="post"
        action={PATH}
        {...hx({ post: PATH, target: "#scanned", swap: "outerHTML" })}
      >
        <label for="scan" class="hidden">
          Scan or type a code
        </label>
        <input
          type="text"
          id="scan"
          name="scan"
          class="mono"
          placeholder="Scan or type a code, then Enter"
          maxLength={200}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          autofocus
        />
        <button type="submit">Add</button>
        <button
          type="button"
          class="js-only"
          data-camera={asset("scan_worker.js")}
          aria-expanded="false"
          aria-controls="camera"
        >
          <Icon name="qrcode" /> Camera
        </button>
        <label class="js-only">
          <input type="checkbox" data-signal /> Sound
        </label>
      </form>
      <div id="camera" class="camera" hidden>
        <video playsInline muted aria-label="Camera image" />
        <p role="status" />
      </div>
    </>
  );
}

function Codes({ favorites: mine }: { favorites: favorites.Favorite[] }) {
  return (
    <section class="codes" aria-labelledby="codes-title">
      <header class="head">
        <h2 id="codes-title">Codes</h2>
        <div class="actions js-only">
          <button type="button" data-print>
            <Icon name="printer" /> Print
          </button>
        </div>
      </header>
      <div class="labels">
        {Object.entries(SCAN_ACTIONS).map(([name, meaning]) => (
          <Code kind="action" name={name} meaning={meaning} />
        ))}
        {mine
          .filter(({ kind }) => kind !== "action")
          .map(({ kind, name }) => (
            <Code kind={kind} name={name} meaning={kind} />
          ))}
      </div>
      <p class="muted no-print">
        Your <a href="/inventory/attributes/favorites">favourites</a> are here too. The codes of all
        locations and statuses are in <a href="/inventory/attributes/location">their lists</a>.
      </p>
    </section>
  );
}

/** A code to scan from screen or paper, with a button that does the same. */
function Code({ kind, name, meaning }: { kind: string; name: string; meaning: string }) {
  const text = `CSE:${kind}:${name}`;
  return (
    <figure class="label">
      <Qr text={text} />
      <figcaption>
        <b>{name}</b>
        <small>{meaning}</small>
        <button type="submit" form="desk" name="scan" value={text}>
          Use<span class="hidden"> {name}</span>
        </button>
      </figcaption>
    </figure>
  );
}

interface TestedText {
  text: string;
  meaning: ScanMeaning;
}

function SetUp({ tested }: { tested: TestedText | undefined }) {
  const hx = useHx();
  return (
    <section class="card set-up" aria-labelledby="set-up-title">
      <h2 id="set-up-title">Set up a scanner</h2>
      <p>
        Any scanner works that types the code as a keyboard and ends with Enter. Most are delivered
        this way; otherwise scan "USB keyboard" and "Add CR suffix" in the manual of the scanner. If
        colons are wrong in the test below, scan the code of your keyboard layout in the manual.
      </p>
      <form
        class="inline"
        method="get"
        action={PATH}
        {...hx({ get: PATH, target: "#tested", swap: "outerHTML" })}
      >
        <div class="field">
          <label for="test">Test scan</label>
          <input
            type="text"
            id="test"
            name="test"
            class="mono"
            value={tested?.text ?? ""}
            maxLength={200}
            autocomplete="off"
            data-try
          />
        </div>
        <button type="submit">Test</button>
      </form>
      {tested ? <Tested tested={tested} /> : <p id="tested" role="status" />}
    </section>
  );
}

export function Tested({ tested: { text, meaning } }: { tested: TestedText }) {
  return (
    <p id="tested" role="status">
      <code>{text}</code> {inWords(meaning)}
    </p>
  );
}

function inWords(meaning: ScanMeaning): string {
  switch (meaning.is) {
    case "action":
      return `is the action ${meaning.name}`;
    case "attribute":
      return `is the ${meaning.kind} ${meaning.name}`;
    case "item":
      return `is the item ${meaning.item.ics_id}, serial number ${meaning.item.serial_number}`;
    case "free":
      return "is a free label";
    case "serial":
      return "is an unknown code or the serial number of a new item";
    case "removal":
      return "removes an item from the list";
    case "parents":
      return "says whether items that move away stay in their parents";
    case "nothing":
      return `cannot be used: ${meaning.why}`;
  }
}
