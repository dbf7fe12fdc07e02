// The files of a record, on its page: the pictures, the documents, and for those who may the ways to add and change them.
import type { Caller } from "../../src/auth/auth.ts";
import type { RecordFile } from "../../src/files/file.ts";
import * as files from "../../src/files/files.ts";
import { LARGEST_UPLOAD, MOST_FILES } from "../../src/input/limits.ts";
import { rowsOf } from "../../src/store/records.ts";
import { asset } from "../../static/mod.ts";
import { confirmAttributes } from "../layout/confirm.tsx";
import { Icon } from "../parts/icon.tsx";
import { RecordLink } from "../records/links.tsx";
import { Time } from "../records/time.tsx";
import { useHx } from "../request/frame.ts";

export interface FilesProps {
  of: files.FilesOf;
  listed: RecordFile[];
  mayChange: boolean;
  /** Why the last one was not added. */
  error?: string | undefined;
}

const ALL = new URLSearchParams({ per_page: String(MOST_FILES) });

export async function filesOf(caller: Caller, of: files.FilesOf): Promise<FilesProps> {
  const [listed, mayChange] = await Promise.all([
    files.list(caller, of, ALL),
    files.mayChange(caller, of),
  ]);
  return { of, listed: rowsOf(listed) as RecordFile[], mayChange };
}

export function filesPath({ table, id }: files.FilesOf): string {
  return `/files/${table}/${id}`;
}

/** The parameter of a page that shows no files: it gets a toast alone. */
export const TOAST = "toast";

const SWAP = { target: "#files", swap: "outerHTML" };

export function Files(props: FilesProps) {
  const { of, listed, mayChange, error } = props;
  if (listed.length === 0 && !mayChange) return null;
  return (
    <section
      id="files"
      aria-labelledby="files-title"
      data-script={mayChange ? asset("files.js") : undefined}
    >
      <h2 id="files-title">
        Files {listed.length > 0 && <span class="tag">{listed.length}</span>}
      </h2>
      {listed.length === 0 && (
        <p class="muted">No files yet, such as a photo, a certificate or a drawing</p>
      )}
      {listed.length > 0 && (
        <ul class="files">
          {listed.map((one, place) => (
            <Entry {...props} one={one} place={place} />
          ))}
        </ul>
      )}
      {error && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      {mayChange && <Adding of={of} isFull={listed.length >= MOST_FILES} />}
    </section>
  );
}

interface EntryProps extends FilesProps {
  one: RecordFile;
  place: number;
}

function Entry({ of, one, place, mayChange }: EntryProps) {
  const { id, name, type, size, summary, caption, is_picture, user, created_at } = one;
  const address = `${filesPath(of)}/${id}/content`;
  const isImage = IMAGES.includes(type);
  return (
    <li id={`file-${id}`} draggable={mayChange}>
      <a href={address} class="photo" tabIndex={-1}>
        {isImage ? (
          <img
            src={`${filesPath(of)}/${id}/small`}
            alt={name}
            width={96}
            height={72}
            loading="lazy"
          />
        ) : (
          <>
            <Icon name="file" /> <span class="hidden">{name}</span>
          </>
        )}
      </a>
      <div>
        <p>
          <a href={address}>{caption ?? name}</a>
        </p>
        {summary && <p class="lines">{summary}</p>}
        <p class="muted">
          {caption && `${name}, `}
          {is_picture && "picture of the record, "}
          {nameOfType(type)}, {sizeInWords(size)}, <Time at={created_at} />
          {user && (
            <>
              {" "}
              by <RecordLink table="users" name={user} />
            </>
          )}
        </p>
      </div>
      {mayChange && (
        <Changing of={of} one={one} place={place} canBePicture={isImage && !is_picture} />
      )}
    </li>
  );
}

const IMAGES = ["image/jpeg", "image/png", "image/webp", "image/gif"];
const TYPES: Record<string, string> = {
  "image/jpeg": "photo",
  "text/plain": "text",
  "application/pdf": "PDF",
  "application/octet-stream": "file",
};

function nameOfType(type: string): string {
  const short = type.split("/")[1]?.split(".").at(-1) ?? type;
  return TYPES[type] ?? short.toUpperCase();
}

function sizeInWords(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1_000))} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

interface ChangingProps {
  of: files.FilesOf;
  one: RecordFile;
  place: number;
  canBePicture: boolean;
}

/** What the buttons of one file do; each sends its name. */
function Changing({ of, one, place, canBePicture }: ChangingProps) {
  const hx = useHx();
  const action = `${filesPath(of)}/${one.id}`;
  const id = `caption-${one.id}`;
  return (
    <details class="chooser">
      <summary title="Change">
        <Icon name="pencil" /> <span class="hidden">Change {one.name}</span>
      </summary>
      <form method="post" action={action} {...hx({ post: action, ...SWAP })}>
        <div class="field">
          <label for={id}>Caption</label>
          <input id={id} type="text" name="caption" value={one.caption ?? ""} maxlength={200} />
        </div>
        <div class="buttons">
          <button type="submit" name="action" value="caption" class="primary">
            Save
          </button>
          {canBePicture && (
            <button type="submit" name="action" value="picture">
              Use as picture
            </button>
          )}
          {place > 0 && (
            <button type="submit" name="place" value={place - 1}>
              Move up
            </button>
          )}
        </div>
      </form>
      <form
        method="post"
        action={`${action}/delete`}
        {...confirmAttributes({
          title: "Delete this file?",
          detail: `${one.name}. The deletion can be undone for 30 days.`,
          verb: "Delete",
        })}
        {...hx({ post: `${action}/delete`, ...SWAP })}
      >
        <button type="submit" class="quiet bad">
          <Icon name="trash" /> Delete
        </button>
      </form>
    </details>
  );
}

function Adding({ of, isFull }: Pick<FilesProps, "of"> & { isFull: boolean }) {
  const hx = useHx();
  const action = filesPath(of);
  if (isFull) {
    return <p class="muted">There are {MOST_FILES} files: delete one before you add another</p>;
  }
  return (
    <form
      class="sheet adding"
      method="post"
      action={action}
      encType="multipart/form-data"
      {...hx({ post: action, ...SWAP })}
    >
      <div class="field">
        <label for="field-files">Add photos or documents</label>
        <input id="field-files" type="file" name="file" multiple aria-describedby="hint-files" />
        <input type="file" name="small" hidden />
        <p class="hint" id="hint-files">
          At most {LARGEST_UPLOAD / 1024 ** 2} MB each. Drag them here, or paste a picture.
        </p>
      </div>
      <p class="muted" role="status" />
      <button type="submit" class="no-js-only">
        <Icon name="upload" /> Add
      </button>
    </form>
  );
}

interface PhotographProps {
  item: { id: number; ics_id: string };
}

/** On the phone: the camera opens, and the picture is sent when it is taken. What was done is said in a toast alone. */
export function Photograph({ item: { id, ics_id } }: PhotographProps) {
  const hx = useHx();
  const action = `${filesPath({ table: "items", id })}?${TOAST}=true`;
  return (
    <form
      class="adding photograph js-only"
      method="post"
      action={action}
      encType="multipart/form-data"
      {...hx({ post: action, swap: "none" })}
    >
      <label class="button">
        <Icon name="camera" /> Photograph <span class="hidden">{ics_id}</span>
        <input class="hidden" type="file" name="file" accept="image/*" capture="environment" />
      </label>
      <input type="file" name="small" hidden />
      <span class="muted" role="status" />
    </form>
  );
}
