import * as deviceTypes from "../../network/device_types/device_types.ts";
import { resourceRoutes } from "../resource.ts";

export const deviceTypeRoutes = resourceRoutes({
  path: "/network/device_types",
  tag: "Network: device types",
  editors: ["admin"],
  area: deviceTypes,
  fields: deviceTypes.resource.fields,
  shapes: { shown: deviceTypes.deviceType, created: deviceTypes.newDeviceType },
  summaries: {
    list: "List device types",
    create: "Add a device type",
    find: "One device type",
    remove: "Delete a device type",
  },
});
