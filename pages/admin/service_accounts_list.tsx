import { GROUPS } from "../../src/auth/auth.ts";
import type { ListJson } from "../../src/store/records.ts";
import { type ServiceAccount, serviceAccount } from "../../src/user/service_accounts.ts";
import { ChoiceFilter } from "../lists/choice_filter.tsx";
import { EmptyPicture } from "../lists/empty_picture.tsx";
import { Filters, List, ListHead } from "../parts/list.tsx";
import { columnsOf } from "../parts/resource_fields.tsx";
import { Time } from "../records/time.tsx";
import { SERVICE_ACCOUNTS, serviceAccountPath } from "./paths.ts";
import { Groups, UserState } from "./users_list.tsx";

interface Props {
  params: URLSearchParams;
  listed: ListJson;
  rows: ServiceAccount[];
}

export function ServiceAccountsPage(shown: Props) {
  const { params } = shown;
  return (
    <>
      <ListHead
        title="Service accounts"
        lead="Programs, which have groups and tokens and cannot log in"
        path={SERVICE_ACCOUNTS}
        noun="service account"
        mayAdd
      />
      <Filters path={SERVICE_ACCOUNTS} params={params} noun="service accounts">
        <ChoiceFilter
          name="state"
          label="Any state"
          params={params}
          options={["active", "deactivated"]}
        />
        <ChoiceFilter name="groups" label="Any group" params={params} options={GROUPS} />
      </Filters>
      <ServiceAccountList {...shown} />
    </>
  );
}

export function ServiceAccountList({ params, listed, rows }: Props) {
  return (
    <List
      noun="service accounts"
      singular="service account"
      path={SERVICE_ACCOUNTS}
      params={params}
      listed={listed}
      rows={rows}
      columns={COLUMNS}
      fields={["state", "groups"]}
      empty={
        <div class="empty">
          <EmptyPicture icon="key" />
          <p>No service accounts yet</p>
          <p class="muted">A program with an account keeps its access when a person leaves</p>
        </div>
      }
    />
  );
}

const COLUMNS = columnsOf<ServiceAccount>(serviceAccount, [
  {
    name: "username",
    sortable: true,
    fixed: true,
    cell: ({ username }, inList) => (
      <a class="open" href={serviceAccountPath(username) + inList}>
        {username}
      </a>
    ),
  },
  { name: "display_name", sortable: true, cell: ({ display_name }) => display_name },
  { name: "groups", cell: ({ groups }) => <Groups groups={groups ?? []} /> },
  { name: "state", sortable: true, cell: ({ state }) => <UserState state={state} /> },
  { name: "tokens", sortable: true, class: "number", cell: ({ tokens }) => tokens },
  {
    name: "last_seen",
    label: "Last used",
    sortable: true,
    class: "time",
    cell: ({ last_seen }) => (last_seen ? <Time at={last_seen} /> : "never"),
  },
]);
