import type { HostVars } from "../../../src/network/groups/effective_vars.ts";
import { host } from "../../../src/network/hosts/host.ts";

type Origin = Pick<HostVars["origins"][string], "group">;

/** The variables that Ansible uses, the source of each, and the values it overrides. */
export function Variables({ vars, origins }: Pick<HostVars, "vars" | "origins">) {
  const names = Object.keys(vars);
  return (
    <section class="region" aria-labelledby="vars-title">
      <h2 id="vars-title">{host.fields.automation_vars.label}</h2>
      {names.length === 0 ? (
        <p class="muted">No variables</p>
      ) : (
        <table class="list">
          <caption class="hidden">Variables</caption>
          <thead>
            <tr>
              {["Variable", "Value", "Source", "Overrides"].map((label) => (
                <th scope="col">{label}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <tr>
                <td data-label="Variable" class="mono">
                  {name}
                </td>
                <td data-label="Value" class="mono">
                  {JSON.stringify(vars[name])}
                </td>
                <td data-label="Source">
                  <From source={origins[name]} />
                </td>
                <td data-label="Overrides" class="muted">
                  {origins[name]?.overrode.map(({ value, ...source }) => (
                    <div>
                      <span class="mono">{JSON.stringify(value)}</span> from{" "}
                      <From source={source} />
                    </div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function From({ source }: { source: Origin | undefined }) {
  if (!source?.group) return <>this host</>;
  return <a href={`/network/groups/view/${encodeURIComponent(source.group)}`}>{source.group}</a>;
}
