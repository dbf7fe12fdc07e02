// The route tables of the specification, and the additions of the contract, verbatim.

/** Sections 4.1 to 4.4, under /api/v1. */
const API = `
  POST   /user/login
  GET    /user/profile
  GET    /user/users

  GET    /inventory/actions
  POST   /inventory/items
  GET    /inventory/items
  GET    /inventory/items/(id_)
  PATCH  /inventory/items/(id_)
  DELETE /inventory/items/(int:item_id)
  POST   /inventory/items/(id_)/comments
  GET    /inventory/items/(id_)/comments
  DELETE /inventory/items/comments/(int:comment_id)
  POST   /inventory/locations
  GET    /inventory/locations
  DELETE /inventory/locations/(int:location_id)
  POST   /inventory/macs
  GET    /inventory/macs
  POST   /inventory/manufacturers
  GET    /inventory/manufacturers
  DELETE /inventory/manufacturers/(int:manufacturer_id)
  POST   /inventory/models
  GET    /inventory/models
  DELETE /inventory/models/(int:model_id)
  POST   /inventory/statuses
  GET    /inventory/statuses
  DELETE /inventory/statuses/(int:status_id)

  POST   /network/cnames
  GET    /network/cnames
  DELETE /network/cnames/(int:cname_id)
  POST   /network/domains
  GET    /network/domains
  DELETE /network/domains/(int:domain_id)
  POST   /network/groups
  GET    /network/groups
  DELETE /network/groups/(int:group_id)
  POST   /network/hosts
  GET    /network/hosts
  PATCH  /network/hosts/(int:host_id)
  DELETE /network/hosts/(int:host_id)
  GET    /network/hosts/search
  POST   /network/interfaces
  GET    /network/interfaces
  PATCH  /network/interfaces/(int:interface_id)
  DELETE /network/interfaces/(int:interface_id)
  POST   /network/networks
  GET    /network/networks
  PATCH  /network/networks/(int:network_id)
  DELETE /network/networks/(int:network_id)
  POST   /network/scopes
  GET    /network/scopes
  PATCH  /network/scopes/(int:scope_id)
  DELETE /network/scopes/(int:scope_id)
`;

/** Sections 2, 3, 5 and 6 of the contract: additions under /api/v1. */
const ADDED = `
  GET    /openapi.json
  PATCH  /user/profile
  POST   /user/users
  PATCH  /user/users/(id)
  DELETE /user/users/(id)
  GET    /user/tokens
  POST   /user/tokens
  DELETE /user/tokens/(id)
  GET    /network/device_types
  POST   /network/device_types
  DELETE /network/device_types/(id)
  POST   /network/hosts/search
`;

/** Section 4.6, and the reference page. */
const WEB = `
  GET      /
  GET      /status/(job_id)
  GET      /api/docs

  GET,POST /user/login
  GET      /user/logout
  GET,POST /user/profile
  POST     /user/tokens/revoke

  GET      /inventory/_retrieve_attributes/(kind)
  GET      /inventory/_retrieve_attributes_favorites
  GET      /inventory/_retrieve_free_stack_members/(host_id)
  POST     /inventory/_retrieve_items
  POST     /inventory/_update_favorites/(kind)
  GET,POST /inventory/attributes/(kind)
  GET      /inventory/attributes/favorites
  GET      /inventory/items
  GET      /inventory/items/_generate_excel_file
  GET,POST /inventory/items/comment/(ics_id)
  POST     /inventory/items/comment/delete
  GET,POST /inventory/items/comment/edit/(comment_id)
  GET,POST /inventory/items/create
  GET,POST /inventory/items/edit/(ics_id)
  GET      /inventory/items/view/(ics_id)
  GET      /inventory/scanner

  GET      /network/_generate_random_mac
  GET      /network/_retrieve_first_available_ip/(int:network_id)
  POST     /network/_retrieve_groups
  POST     /network/_retrieve_hosts
  GET      /network/_retrieve_ips/(subnet)/(int:prefix)
  GET      /network/_retrieve_scope_defaults/(int:scope_id)
  GET      /network/_retrieve_subnets/(int:scope_id)/(int:prefix)
  GET      /network/domains
  GET,POST /network/domains/create
  GET      /network/groups
  GET,POST /network/groups/create
  POST     /network/groups/delete
  GET,POST /network/groups/edit/(name)
  GET,POST /network/groups/view/(name)
  GET      /network/hosts
  GET,POST /network/hosts/create
  POST     /network/hosts/delete
  GET,POST /network/hosts/edit/(name)
  GET,POST /network/hosts/view/(name)
  GET,POST /network/interfaces/create/(hostname)
  POST     /network/interfaces/delete
  GET,POST /network/interfaces/edit/(name)
  GET      /network/networks
  GET,POST /network/networks/create
  GET,POST /network/networks/edit/(vlan_name)
  GET      /network/networks/view/(vlan_name)
  GET      /network/scopes
  GET,POST /network/scopes/create
  GET,POST /network/scopes/edit/(name)
  GET      /network/scopes/view/(name)
`;

/** Every method of every path, as one row: "GET /api/v1/inventory/items/(id_)". */
export const specified: string[] = [
  ...rowsOf(API, "/api/v1"),
  ...rowsOf(ADDED, "/api/v1"),
  ...rowsOf(WEB, ""),
];

function rowsOf(table: string, root: string): string[] {
  const lines = table.trim().split(/\n\s*/);
  return lines.flatMap((line) => {
    const [methods = "", path = ""] = line.split(/\s+/);
    return methods.split(",").map((method) => `${method} ${root}${path}`);
  });
}
