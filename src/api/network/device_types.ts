import { deviceType } from "../../network/device_types/device_type.ts";
import * as deviceTypes from "../../network/device_types/device_types.ts";
import { routesOf } from "../resource.ts";

export const deviceTypeRoutes = routesOf(deviceType, {
  area: deviceTypes,
  created: deviceTypes.newDeviceType,
});
