import type { ListJson } from "../../src/store/records.ts";
import { type HeldToken, heldToken } from "../../src/user/held_token.ts";
import { confirmAttributes } from "../layout/confirm.tsx";
import { PageHead } from "../layout/page_head.tsx";
import { filterValue } from "../lists/choice_filter.tsx";
import { EmptyPicture } from "../lists/empty_picture.tsx";
import { Icon } from "../parts/icon.tsx";
import { Filters, List } from "../parts/list.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { Typeahead } from "../parts/typeahead.tsx";
import { Time } from "../records/time.tsx";
import { useFrame } from "../request/frame.ts";
import { Access, isReadOnlyToken } from "../user/token_parts.tsx";
import { TOKENS, USERS, userPath } from "./paths.ts";

interface TokenListProps {
  params: URLSearchParams;
  listed: ListJson;
  rows: HeldToken[];
}

export const REVOKE = {
  title: "Revoke this token?",
  detail: "Programs that use it lose access immediately.",
  verb: "Revoke",
};

export function TokensPage(shown: TokenListProps) {
  const { params } = shown;
  return (
    <>
      <PageHead
        title="Tokens"
        lead="Tokens of people and service accounts; the tokens themselves are not stored"
      />
      <Filters path={TOKENS} params={params} noun="tokens">
        <Typeahead
          name="owner"
          id="filter-owner"
          label="Owner"
          value={filterValue(params, "owner")}
          names={[]}
          suggest={`${USERS}/_names`}
        />
      </Filters>
      <TokenList {...shown} />
    </>
  );
}

export function TokenList({ params, listed, rows }: TokenListProps) {
  return (
    <List
      noun="tokens"
      singular="token"
      path={TOKENS}
      params={params}
      listed={listed}
      rows={rows}
      columns={COLUMNS}
      fields={["owner"]}
      order="-created_at"
      empty={
        <div class="empty">
          <EmptyPicture icon="key" />
          <p>No tokens yet</p>
          <p class="muted">Users generate tokens on their profile page</p>
        </div>
      }
    />
  );
}

const COLUMNS = columnsOf<HeldToken>(heldToken, [
  {
    name: "description",
    sortable: true,
    fixed: true,
    cell: ({ id, description }) => description ?? `Token ${id}`,
  },
  {
    name: "owner",
    sortable: true,
    cell: ({ owner }) => owner && <a href={userPath(owner)}>{owner}</a>,
  },
  {
    name: "read_only",
    label: "Access",
    cell: (token) => (isReadOnlyToken(token) ? "read" : "write"),
  },
  {
    name: "limits",
    cell: ({ limits }) => <Access token={{ read_only: false, limits, networks: [], scopes: [] }} />,
  },
  {
    name: "created_at",
    sortable: true,
    class: "time",
    cell: ({ created_at }) => <Time at={created_at} />,
  },
  {
    name: "expires_at",
    sortable: true,
    class: "time",
    cell: ({ expires_at }) => expires_at ?? "never",
  },
  {
    name: "last_used_at",
    sortable: true,
    class: "time",
    cell: ({ last_used_at }) => last_used_at ?? "never",
  },
  {
    name: "last_used_from",
    sortable: true,
    class: "mono",
    cell: ({ last_used_from }) => last_used_from,
  },
  {
    name: "revoke",
    label: "Revoke",
    class: "tight",
    fixed: true,
    cell: (token) => <RevokeForm token={token} />,
  },
]);

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
