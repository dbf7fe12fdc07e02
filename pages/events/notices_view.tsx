import type { MailTrouble } from "../../src/events/notices/mails.ts";
import type { NoticeSettings } from "../../src/events/notices/settings.ts";
import type { Watch } from "../../src/events/notices/watch.ts";
import type { WatchableSearch } from "../../src/events/notices/watches.ts";
import { nounOf } from "../../src/history/words.ts";
import type { Refusal } from "../../src/input/errors.ts";
import { confirmAttributes } from "../layout/confirm.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { EmptyPicture } from "../lists/empty_picture.tsx";
import { CheckBox, type Filled, RefusalNote } from "../parts/forms.tsx";
import { Icon } from "../parts/icon.tsx";
import { PlainTable } from "../parts/plain_table.tsx";
import { Options, Select } from "../parts/select.tsx";
import { recordPath } from "../records/links.tsx";
import { momentInWords, Time } from "../records/time.tsx";
import { useFrame } from "../request/frame.ts";
import { inTitle } from "../texts.ts";
import { type Confirming, ConfirmPassword } from "../user/token_parts.tsx";

export const WATCHES = "/user/watches";

export interface WatchesProps {
  watches: Watch[];
  most: number;
  settings: NoticeSettings;
  changing: Filled;
  /** Those that could be watched. */
  searches: WatchableSearch[];
  trouble: MailTrouble | undefined;
  /** Whether this installation sends mails. */
  hasMail: boolean;
  origin: string;
  confirming: Confirming;
  refusal?: Refusal;
  /** The form that makes addresses of feeds, after a refusal. */
  making?: Filled;
  /** Of the addresses that were made just now: shown this once. */
  secret?: string;
}

export function WatchesPage(shown: WatchesProps) {
  return (
    <>
      <PageHead
        title="Watches"
        lead="Learn of changes of records by mail, in a feed reader or in a calendar"
      />
      {!shown.making && <RefusalNote refusal={shown.refusal} />}
      {shown.secret && <NewFeeds secret={shown.secret} origin={shown.origin} />}
      <div class="cards">
        <Watched {...shown} />
        <Mail {...shown} />
        <Feeds {...shown} />
        {shown.searches.length > 0 && <AddSearch searches={shown.searches} />}
      </div>
    </>
  );
}

const CHOICES = [
  { value: "at_once", label: "At once" },
  { value: "daily", label: "Daily" },
  { value: "none", label: "Only feeds" },
];

function Watched({ watches, most }: WatchesProps) {
  return (
    <section class="card wide" aria-labelledby="watched-title">
      <h2 id="watched-title">
        Watched <span class="count">{watches.length}</span>
      </h2>
      {watches.length === 0 ? (
        <div class="empty">
          <EmptyPicture icon="eye" />
          <p>You watch nothing yet</p>
          <p class="muted">
            Open a <a href="/network/hosts">host</a>, a network or an item, and press Watch.
          </p>
        </div>
      ) : (
        <form method="post" action={WATCHES}>
          <PlainTable
            caption="Watched records and searches"
            rows={watches}
            idOf={({ id }) => `watch-${id}`}
            columns={COLUMNS}
          />
          <div class="buttons">
            <button type="submit" class="primary">
              Save
            </button>
            {watches.length >= most && <p class="muted">These are all that one user may have.</p>}
          </div>
        </form>
      )}
    </section>
  );
}

const COLUMNS = [
  { label: "Name", cell: (watch: Watch) => <WatchedName watch={watch} /> },
  {
    label: "Kind",
    cell: ({ table_name, search_id }: Watch) =>
      inTitle(search_id === null ? nounOf(table_name) : `search of ${nounOf(table_name)}s`),
  },
  { label: "Since", cell: ({ created_at }: Watch) => <Time at={created_at} /> },
  {
    label: "Mail",
    cell: ({ id, name, mail }: Watch) => (
      <select name={`mail-${id}`} aria-label={`Mail about ${name}`}>
        <Options options={CHOICES} value={mail} />
      </select>
    ),
  },
  {
    label: "Actions",
    class: "tight",
    cell: ({ id, name }: Watch) => (
      <button
        type="submit"
        class="quiet bad"
        name="delete"
        value={id}
        aria-label={`Unwatch ${name}`}
      >
        <Icon name="trash" /> Unwatch
      </button>
    ),
  },
];

function WatchedName({ watch: { name, table_name, search_id } }: { watch: Watch }) {
  const path = search_id === null ? recordPath(table_name, name) : undefined;
  if (!path) return <>{name}</>;
  return (
    <a class="open" href={path}>
      {name}
    </a>
  );
}

function Mail({ settings, changing, hasMail, trouble }: WatchesProps) {
  const hours = Array.from({ length: 24 }, (_, hour) => ({
    value: String(hour),
    label: `${String(hour).padStart(2, "0")}:00`,
  }));
  return (
    <section class="card" aria-labelledby="mail-title">
      <h2 id="mail-title">Mail</h2>
      {hasMail ? (
        <Address settings={settings} />
      ) : (
        <p class="note">
          This installation sends no mails: no mail server is set. Ask your administrator to set
          one.
        </p>
      )}
      {trouble && <Trouble {...trouble} />}
      <form class="sheet" method="post" action={`${WATCHES}/settings`}>
        <Select
          filled={changing}
          name="digest_hour"
          label="Daily mails at (UTC)"
          options={hours}
          form="notices"
        />
        <CheckBox
          filled={changing}
          name="own_changes"
          form="notices"
          label="Tell me of my own changes, too"
        />
        <div class="buttons">
          <button type="submit">Save</button>
        </div>
      </form>
    </section>
  );
}

function Address({ settings: { address, is_confirmed } }: Pick<WatchesProps, "settings">) {
  const isAdmin = useFrame().caller?.groups.includes("admin") ?? false;
  if (address === null) {
    return (
      <p class="note">
        There is no address: <a href="/user/profile">enter one in your profile</a>.
      </p>
    );
  }
  if (!is_confirmed) {
    return (
      <form class="note" method="post" action={`${WATCHES}/address`}>
        <p>
          <b>{address}</b> is not confirmed, and gets no mails yet.
        </p>
        <button type="submit">Send me a link</button>
      </form>
    );
  }
  return (
    <>
      <p>
        To <b>{address}</b>. At once: a minute after the first change.
      </p>
      {isAdmin && (
        <form method="post" action={`${WATCHES}/test`}>
          <button type="submit">Send a test mail to me</button>
        </form>
      )}
    </>
  );
}

function Trouble({ status, trouble, attempts, at }: MailTrouble) {
  return (
    <p class="note bad">
      The mail of {momentInWords(at)} was not delivered: {trouble}.{" "}
      {status === "failed" ? "It was given up." : `Attempts: ${attempts}; it will be sent again.`}
    </p>
  );
}

function Feeds({ settings, confirming, making, changing }: WatchesProps) {
  const { has_feeds } = settings;
  return (
    <section class="card" aria-labelledby="feeds-title">
      <h2 id="feeds-title">Feeds</h2>
      <form class="sheet" method="post" action={`${WATCHES}/feeds`}>
        <p>
          An Atom feed and a calendar with the changes of all your watches. Their URLs contain a
          secret: anyone who has one can read it.
        </p>
        <ConfirmPassword filled={making ?? changing} {...confirming} />
        <div class="buttons">
          <button type="submit">
            <Icon name="key" /> {has_feeds ? "Make new feeds" : "Make the feeds"}
          </button>
        </div>
        {has_feeds && <p class="hint">The former addresses then end.</p>}
      </form>
      {has_feeds && (
        <form
          method="post"
          action={`${WATCHES}/feeds`}
          {...confirmAttributes({
            title: "End these addresses?",
            detail: "Feed readers and calendars that use them get nothing any more.",
            verb: "End",
          })}
        >
          <button type="submit" class="quiet bad" name="end" value="true">
            <Icon name="trash" /> End the addresses
          </button>
        </form>
      )}
    </section>
  );
}

function NewFeeds({ secret, origin }: { secret: string; origin: string }) {
  const addresses = ["changes.atom", "changes.ics"].map(
    (file) => `${origin}/notices/feeds/${secret}/${file}`,
  );
  return (
    <section class="note good" role="status" id="new-feeds">
      <h2>New addresses</h2>
      <p>Copy them now: they are shown only once.</p>
      {addresses.map((address) => (
        <p class="secret">
          <code>{address}</code>
          <button type="button" class="quiet js-only" data-copy={address}>
            <Icon name="copy" /> Copy
          </button>
        </p>
      ))}
    </section>
  );
}

function AddSearch({ searches }: { searches: WatchableSearch[] }) {
  return (
    <section class="card" aria-labelledby="search-title">
      <h2 id="search-title">Watch a saved search</h2>
      <form class="sheet" method="post" action={WATCHES}>
        <div class="field">
          <label for="watch-search">Search</label>
          <select id="watch-search" name="search_id">
            {searches.map(({ id, name, list }) => (
              <option value={id}>
                {name} ({list.split("/").at(-1)})
              </option>
            ))}
          </select>
        </div>
        <div class="buttons">
          <button type="submit">
            <Icon name="eye" /> Watch
          </button>
        </div>
      </form>
    </section>
  );
}
