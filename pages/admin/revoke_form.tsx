// The button with which an admin revokes a token.
import type { HeldToken } from "../../src/user/held_token.ts";
import { confirmAttributes } from "../layout/confirm.tsx";
import { Icon } from "../parts/icon.tsx";
import { useFrame } from "../request/frame.ts";
import { TOKENS } from "./paths.ts";

export const REVOKE = {
  title: "Revoke this token?",
  detail: "Programs that use it lose access immediately.",
  verb: "Revoke",
};

export function RevokeForm({ token }: { token: HeldToken }) {
  const { here } = useFrame();
  const name = token.description ?? `Token ${token.id}`;
  return (
    <form method="post" action={`${TOKENS}/revoke`} {...confirmAttributes(REVOKE)}>
      <input type="hidden" name="token_id" value={token.id} />
      <input type="hidden" name="next" value={here} />
      <button type="submit" class="quiet bad" aria-label={`Revoke ${name} of ${token.owner}`}>
        <Icon name="trash" /> Revoke
      </button>
    </form>
  );
}
