// The pages of the fields that a site defines: beside a field, how records use it.
import { siteField } from "../../src/site/site_field.ts";
import { type SiteFieldUsage, usageOf } from "../../src/site/usage.ts";
import { SITE_TABLES } from "../../src/store/site/definitions.ts";
import { sources } from "../lists/sources.ts";
import { countOf } from "../parts/count.ts";
import { ResourcePages } from "../resource/pages.tsx";
import { standardHooks } from "../resource/standard.tsx";

const hooks = standardHooks(siteField);
const administration = { label: "Administration", href: "/admin" };

export const siteFieldPages = new ResourcePages({
  ...hooks,
  room: administration,
  view: async (shown) => {
    const usage = await usageOf(shown.caller, String(shown.row.name));
    return {
      ...(await hooks.view?.(shown)),
      heading: String(shown.row.label),
      lead: `Field of ${usage ? SITE_TABLES[usage.definition.record] : "records"}`,
      ...(usage && { contents: <Usage {...usage} /> }),
    };
  },
}).routes();

/** The list of the records, by the value of the field. */
function listOf({ definition: { record, key } }: SiteFieldUsage, value?: string): string {
  const table = SITE_TABLES[record];
  const [path = ""] = [...sources].find(([, { resource }]) => resource.name === table) ?? [];
  const filter =
    value === undefined ? { [`site.${key}__isnull`]: "false" } : { [`site.${key}`]: value };
  return `${path}?${new URLSearchParams(filter)}`;
}

function Usage(usage: SiteFieldUsage) {
  const { definition, records, misfits, index } = usage;
  const table = SITE_TABLES[definition.record];
  const noun = table.replace(/s$/, "");
  return (
    <section class="panel">
      <h2>Use</h2>
      <p>
        {records === 0 ? (
          `No ${noun} has a value yet.`
        ) : (
          <a href={listOf(usage)}>{countOf(records, noun)} with a value</a>
        )}
      </p>
      {misfits.length > 0 && (
        <>
          <h3>Values that are no choice any more</h3>
          <ul>
            {misfits.map(({ value, records: some }) => (
              <li>
                <a href={listOf(usage, value)}>{value}</a> of {countOf(some, noun)}
              </li>
            ))}
          </ul>
        </>
      )}
      {index && (
        <p class="muted">
          {index === "ready" ? "Its index is ready: filters are fast." : "Its index is being made."}
        </p>
      )}
    </section>
  );
}
