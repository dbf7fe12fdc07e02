import { addresses, fullName, labelsOf } from "./addresses.ts";
import type { Feed } from "./feed.ts";
import { FILTERS, select } from "./selection.ts";

/** Lines of /etc/hosts. */
export const hostsFile: Feed = {
  name: "hosts",
  type: "text/plain",
  params: FILTERS,
  async make(caller, params) {
    const { interfaces } = await select(caller, params);
    const lines = (await addresses(interfaces)).map((one) => {
      const labels = labelsOf(one);
      const full = labels.map((name) => fullName({ ...one, name }));
      return `${one.ip}\t${[...full, ...labels, ...one.cnames].join(" ")}\n`;
    });
    const text = lines.join("");
    return () => text;
  },
};
