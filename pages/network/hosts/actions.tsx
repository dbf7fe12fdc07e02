import type { Filled } from "../../parts/forms.tsx";
import { useHx } from "../../request/frame.ts";
import { hostPath } from "../paths.ts";

/** What the forms on the page of a host need to know. */
export interface Acting {
  host: string;
  version: number;
  /** What was refused, by the name of the form that sent it. */
  refused?: Record<string, Filled>;
}

/** The attributes of a form that does something on the page of a host, and shows it there. */
export function useAct({ host }: Acting) {
  const hx = useHx();
  const action = hostPath(host);
  return {
    method: "post",
    action,
    ...hx({ post: action, target: "#host", swap: "outerHTML" }),
  } as const;
}
