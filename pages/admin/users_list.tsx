import { GROUPS } from "../../src/auth/auth.ts";
import type { ListJson } from "../../src/store/records.ts";
import { type Account, account } from "../../src/user/account.ts";
import { ChoiceFilter } from "../lists/choice_filter.tsx";
import { Filters, List, ListHead } from "../parts/list.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { Time } from "../records/time.tsx";
import { USERS, userPath } from "./paths.ts";

interface UserListProps {
  params: URLSearchParams;
  listed: ListJson;
  rows: Account[];
}

export function UsersPage(shown: UserListProps) {
  const { params } = shown;
  return (
    <>
      <ListHead
        title="Users"
        lead="Who may log in, and with which permissions"
        path={USERS}
        noun="user"
        mayAdd
      />
      <Filters path={USERS} params={params} noun="users">
        <ChoiceFilter
          name="state"
          label="Any state"
          params={params}
          options={["active", "deactivated"]}
        />
        <ChoiceFilter name="groups" label="Any group" params={params} options={GROUPS} />
      </Filters>
      <UserList {...shown} />
    </>
  );
}

export function UserList({ params, listed, rows }: UserListProps) {
  return (
    <List
      noun="users"
      singular="user"
      path={USERS}
      params={params}
      listed={listed}
      rows={rows}
      columns={COLUMNS}
      fields={["state", "groups"]}
      empty={null}
    />
  );
}

const COLUMNS = columnsOf<Account>(
  account,
  [
    {
      name: "username",
      sortable: true,
      fixed: true,
      cell: ({ username }, inList) => (
        <a class="open" href={userPath(username) + inList}>
          {username}
        </a>
      ),
    },
    { name: "display_name", sortable: true, cell: ({ display_name }) => display_name },
    { name: "groups", cell: ({ groups }) => <Groups groups={groups ?? []} /> },
    { name: "state", sortable: true, cell: ({ state }) => <UserState state={state} /> },
    {
      name: "last_seen",
      sortable: true,
      class: "time",
      cell: ({ last_seen }) => (last_seen ? <Time at={last_seen} /> : "never"),
    },
    { name: "sessions", sortable: true, class: "number", cell: ({ sessions }) => sessions },
    { name: "tokens", sortable: true, class: "number", cell: ({ tokens }) => tokens },
  ],
  ["is_service"],
);

export function Groups({ groups }: { groups: readonly string[] }) {
  return (
    <>
      {groups.map((group) => (
        <>
          <span class="tag">{group}</span>{" "}
        </>
      ))}
    </>
  );
}

export function UserState({ state }: Pick<Account, "state">) {
  return <span class={state === "active" ? "tag" : "tag bad"}>{state}</span>;
}
