// The addresses of a network as a list: the data of the map as text.
import type { AddressRow, AddressRows } from "../../../src/network/addresses/rows.ts";
import { type Column, List } from "../../parts/list.tsx";
import { addressCount } from "../../parts/usage.tsx";
import { hostPath, networkPath } from "../paths.ts";
import { newHostPath } from "./address_map.tsx";

interface Props {
  network: string;
  listed: AddressRows;
  params: URLSearchParams;
  mayUse: boolean;
}

export function AddressList({ network, listed, params, mayUse }: Props) {
  return (
    <List
      // Neither the gateway nor free addresses, which are rows too.
      noun="addresses of hosts"
      singular="address of a host"
      path={networkPath(network)}
      params={params}
      listed={listed}
      rows={listed.rows}
      columns={columnsOf(network, mayUse)}
      fields={["block"]}
      empty={<p class="muted">No addresses in this block</p>}
    />
  );
}

function columnsOf(network: string, mayUse: boolean): Column<AddressRow>[] {
  return [
    {
      name: "ip",
      label: "Address",
      fixed: true,
      class: "mono",
      cell: (row) => <Address row={row} />,
    },
    {
      name: "host",
      label: "Host",
      fixed: true,
      cell: (row) => <Holder row={row} network={network} mayUse={mayUse} />,
    },
    {
      name: "interface",
      label: "Interface",
      cell: (row) => row.kind === "used" && row.name !== row.host && row.name,
    },
    { name: "mac", label: "MAC", class: "mono", cell: (row) => row.kind === "used" && row.mac },
    {
      name: "description",
      label: "Description",
      cell: (row) => row.kind === "used" && row.description,
    },
  ];
}

function Address({ row }: { row: AddressRow }) {
  if (row.kind !== "free") return <>{row.ip}</>;
  const text = row.first === row.last ? row.first : `${row.first} – ${row.last}`;
  return <span class="muted">{text}</span>;
}

function Holder({ row, network, mayUse }: { row: AddressRow; network: string; mayUse: boolean }) {
  if (row.kind === "used") {
    return (
      <a class="open" href={hostPath(row.host)}>
        {row.host}
      </a>
    );
  }
  if (row.kind === "gateway") return <span class="tag">gateway</span>;
  const text = `${addressCount(row.count)} free`;
  return mayUse ? (
    <a href={newHostPath(network, row.first)}>{text}</a>
  ) : (
    <span class="muted">{text}</span>
  );
}
