// GET /api/docs: the API reference, rendered from the OpenAPI document of the routes.
import { Elysia } from "elysia";
import { contextOf } from "../src/http/request_context.ts";
import { page } from "./layout/page.tsx";
import { Snippet } from "./parts/snippet.tsx";
import { callerOf } from "./request/guard.ts";

interface OpenApiSchema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, OpenApiSchema>;
  required?: string[];
  items?: OpenApiSchema;
  anyOf?: OpenApiSchema[];
  const?: unknown;
  enum?: unknown[];
  minLength?: number;
  maxLength?: number;
}

interface ReferenceParameter {
  name: string;
  in: string;
  description?: string;
  schema?: OpenApiSchema;
}

interface ReferenceOperation {
  summary?: string;
  description?: string;
  tags?: string[];
  /** What a token with limits needs. */
  "x-rights"?: string[];
  parameters?: ReferenceParameter[];
  requestBody?: { content: Record<string, { schema: OpenApiSchema }> };
  responses?: Record<
    string,
    { description?: string; content?: Record<string, { schema: OpenApiSchema }> }
  >;
}

interface ReferenceDocument {
  info: { title: string; description: string };
  paths: Record<string, Record<string, object>>;
}

interface ReferenceEntry extends ReferenceOperation {
  id: string;
  method: string;
  path: string;
}

export function apiReference(document: () => ReferenceDocument) {
  return new Elysia().get(
    "/api/docs",
    async ({ request }) => {
      const visit = contextOf(request);
      visit.route = "/api/docs";
      visit.caller = await callerOf(request);
      return page(request, {
        title: "API reference",
        crumbs: [{ label: "API reference" }],
        body: <Reference sections={sectionsOf(document())} about={document().info.description} />,
      });
    },
    { detail: { hide: true } },
  );
}

type Sections = Array<[tag: string, entries: ReferenceEntry[]]>;

function sectionsOf({ paths }: ReferenceDocument): Sections {
  const entries = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): ReferenceEntry => {
      const id = `${method}${path.replace("/api/v1", "").replace(/[^a-z]+/gi, "-")}`;
      return { ...operation, id, method: method.toUpperCase(), path };
    }),
  );
  const tags = [...new Set(entries.map(tagOf))].sort();
  return tags.map((tag) => [tag, entries.filter((entry) => tagOf(entry) === tag)]);
}

function tagOf({ tags }: ReferenceOperation): string {
  return tags?.[0] ?? "Other";
}

function Reference({ sections, about }: { sections: Sections; about: string }) {
  return (
    <>
      <header class="head">
        <div>
          <h1>API reference</h1>
          <p class="lead">
            {about} As a file: <a href="/api/v1/openapi.json">OpenAPI 3.1</a>.
          </p>
        </div>
      </header>
      <div class="reference">
        <nav class="toc" aria-label="Operations">
          {sections.map(([tag, entries]) => (
            <>
              <h2>{tag}</h2>
              <ul>
                {entries.map(({ id, summary }) => (
                  <li>
                    <a href={`#${id}`}>{summary}</a>
                  </li>
                ))}
              </ul>
            </>
          ))}
        </nav>
        <div>
          <Basics />
          {sections.map(([tag, entries]) => (
            <section aria-label={tag}>
              <h2>{tag}</h2>
              {entries.map((entry) => (
                <OneOperation entry={entry} />
              ))}
            </section>
          ))}
        </div>
      </div>
    </>
  );
}

const LOGIN = `TOKEN=$(curl -s "$URL/api/v1/user/login" -H "Content-Type: application/json" \\
  -d '{"username": "alice", "password": "…"}' | jq -r .access_token)
curl -H "Authorization: Bearer $TOKEN" "$URL/api/v1/inventory/statuses"`;

function Basics() {
  return (
    <section aria-label="Basics">
      <h2>Basics</h2>
      <p>
        Every request except the login needs a bearer token: a login token, valid for twelve hours,
        or a personal token from your <a href="/user/profile">profile</a>. A token with limits needs
        the rights beside the path.
      </p>
      <Snippet text={LOGIN} />
      <p>
        Lists are paged: the <code>link</code> header has the other pages,{" "}
        <code>x-total-count</code> the total. Errors are <code>application/problem+json</code> with
        the reason in <code>detail</code> and, for 422, the fields in <code>errors</code>.
      </p>
    </section>
  );
}

function OneOperation({ entry }: { entry: ReferenceEntry }) {
  const { id, method, path, summary, description } = entry;
  const { parameters = [], requestBody, responses = {}, "x-rights": rights = [] } = entry;
  const content = requestBody?.content;
  const body =
    content?.["application/json"]?.schema ?? content?.["application/x-ndjson"]?.schema?.items;
  return (
    <section id={id} class="operation">
      <h3>{summary}</h3>
      <p>
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>{" "}
        {rights.map((right) => (
          <>
            <span class="tag">{right}</span>{" "}
          </>
        ))}
      </p>
      <p>{description}</p>
      {body && <Fields title="Body" schema={body} />}
      {parameters.length > 0 && <Parameters parameters={parameters} />}
      <details>
        <summary>Responses</summary>
        <dl class="facts">
          {Object.entries(responses).map(([status, { description }]) => (
            <>
              <dt>{status}</dt>
              <dd>{description}</dd>
            </>
          ))}
        </dl>
        <Fields title="Record" schema={recordOf(responses)} />
      </details>
    </section>
  );
}

function Fields({ title, schema }: { title: string; schema: OpenApiSchema | undefined }) {
  const fields = Object.entries(schema?.properties ?? {});
  if (fields.length === 0) return null;
  return (
    <Table title={title}>
      {fields.map(([name, field]) => (
        <tr>
          <th scope="row">
            <code>{name}</code>
            {schema?.required?.includes(name) && title === "Body" && (
              <span class="muted"> required</span>
            )}
          </th>
          <td>{typeOf(field)}</td>
          <td>{field.description}</td>
        </tr>
      ))}
    </Table>
  );
}

function Parameters({ parameters }: { parameters: ReferenceParameter[] }) {
  return (
    <details>
      <summary>{parameters.length} parameters and headers</summary>
      <Table title="Parameters">
        {parameters.map(({ name, schema, description }) => (
          <tr>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>{schema && typeOf(schema)}</td>
            <td>{description}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}

function Table({ title, children }: { title: string; children: preact.ComponentChildren }) {
  return (
    <table>
      <caption>{title}</caption>
      <thead class="hidden">
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Type</th>
          <th scope="col">Meaning</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

function recordOf(
  responses: NonNullable<ReferenceOperation["responses"]>,
): OpenApiSchema | undefined {
  const schema = (responses["200"] ?? responses["201"])?.content?.["application/json"]?.schema;
  return schema?.items ?? schema;
}

function typeOf(schema: OpenApiSchema): string {
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" or ");
  return [schema.type ?? "any"].flat().join(" or ");
}
