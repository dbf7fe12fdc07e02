import { addresses, dnsLabelsOf, fullName } from "./addresses.ts";
import type { Feed } from "./feed.ts";
import { feedQuery, filters } from "./parameters.ts";
import { select } from "./selection.ts";

const query = feedQuery(filters);

/** Lines of /etc/hosts. */
export const hostsFile: Feed<typeof query> = {
  name: "hosts",
  type: "text/plain",
  query,
  async make(caller, parameters) {
    const { interfaces } = await select(caller, parameters);
    const lines = (await addresses(interfaces)).map((one) => {
      const labels = dnsLabelsOf(one);
      const full = labels.map((name) => fullName({ ...one, name }));
      return `${one.ip}\t${[...full, ...labels, ...one.cnames].join(" ")}\n`;
    });
    const text = lines.join("");
    return () => text;
  },
};
