// The paths of the pages about events, for admins.
import { ADMIN } from "../admin/paths.ts";

export const WEBHOOKS = `${ADMIN}/webhooks`;
export const TRIGGERS = `${ADMIN}/triggers`;

export function webhookView(id: number): string {
  return `${WEBHOOKS}/view/${id}`;
}

export function deliveryView(webhook: number, delivery: number): string {
  return `${WEBHOOKS}/delivery/${webhook}/${delivery}`;
}

export function triggerPath(id: number): string {
  return `${TRIGGERS}/view/${id}`;
}
