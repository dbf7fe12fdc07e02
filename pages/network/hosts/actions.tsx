import type { Filled } from "../../parts/forms.tsx";
import { useHx } from "../../request/frame.ts";
import { hostPath } from "../paths.ts";

/** The data for the forms on the page of a host. */
export interface HostFormContext {
  host: string;
  version: number;
  /** Refused forms by name. */
  refused?: Record<string, Filled>;
}

/** The attributes of a form on the page of a host; htmx replaces the details. */
export function useHostForm({ host }: HostFormContext) {
  const hx = useHx();
  const action = hostPath(host);
  return {
    method: "post",
    action,
    ...hx({ post: action, target: "#host", swap: "outerHTML" }),
  } as const;
}
