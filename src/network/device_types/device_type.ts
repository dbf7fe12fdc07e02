// The description of device types: the kinds of hosts, a list that a site extends.
import { sql } from "drizzle-orm";
import { device_types } from "../../../db/tables/network.ts";
import { line } from "../../input/shape.ts";
import * as fields from "../../store/fields.ts";
import { resource } from "../../store/resource.ts";

export const deviceType = resource({
  noun: "device type",
  path: "/network/device_types",
  table: device_types,
  key: "name",
  standard: { lead: "Types of hosts, such as physical, virtual or PLC" },
  editors: ["admin"],
  order: sql`lower(device_types.name)`,
  fields: {
    name: fields.name({ label: "Name", input: line(50), required: true, fixed: true }),
  },
});
