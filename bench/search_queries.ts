// Search queries at scale, one for each feature of the language; many_hosts.sql makes what they find.

export interface BenchQuery {
  kind: string;
  q: string;
  as?: "admin" | "reader";
  /** First sent right after 10,000 names were written. */
  isAfterWrites?: boolean;
}

export const QUERIES: BenchQuery[] = [
  { kind: "a name in its field", q: "name:vac-plc-0004148" },
  { kind: "a name in any field", q: "vac-plc-0004148" },
  { kind: "an address in any field", q: "10.128.0.42" },
  { kind: "a MAC address", q: "mac:0a:00:00:00:20:68" },
  { kind: "a network", q: "network:Net-00012" },
  { kind: "a full name", q: "fqdn:vac-plc-0004148.*" },
  { kind: "a group, 28 % of all", q: "group:Monitored" },
  { kind: "a boolean, 75 %", q: "is_ioc:false" },
  { kind: "a word in descriptions, 20 %", q: "controller" },
  { kind: "a prefix of names, narrow", q: "name:vac-plc-000*" },
  { kind: "a prefix of names, 4 %", q: "name:vac*" },
  { kind: "a prefix of any field, narrow", q: "vac-plc-000*" },
  { kind: "a prefix of any field, 20 %", q: "contr*" },
  { kind: "a phrase of two words", q: "section 42" },
  { kind: "AND", q: "group:role-08 AND is_ioc:true" },
  { kind: "OR, 22 %", q: "type:PLC OR type:VME" },
  { kind: "NOT, 20 %", q: "is_ioc:true AND NOT description:controller" },
  { kind: "groups of clauses", q: "(type:PLC OR type:VME) AND group:Monitored AND NOT name:vac*" },
  { kind: "a block of addresses, /24", q: "10.128.0.0/24" },
  { kind: "a block of addresses, /20", q: "10.128.0.0/20" },
  { kind: "a month", q: "created_at:[2025-03-01 TO 2025-03-31]" },
  { kind: "a variable", q: "automation_vars.section:42" },
  { kind: "a range of numbers", q: "automation_vars.port:[100 TO 1000]" },
  { kind: "a part of names", q: "name:*00414*" },
  { kind: "a part of names, right after writes", q: "name:*00415*", isAfterWrites: true },
  { kind: "a part of any field, narrow", q: "*00414*" },
  { kind: "a part of any field, 24 %", q: "*vac*" },
  { kind: "a regular expression on names", q: "name:/vac-plc-0004[1-4]../" },
  { kind: "a regular expression on any field", q: "/vac-plc-0004[1-4]../" },
  { kind: "one wrong letter in a name", q: "name:xac-plc-0004148~1" },
  { kind: "two wrong letters in a name", q: "name:xac-pic-0004148~2" },
  { kind: "one wrong letter in any field", q: "xac-plc-0004148~1" },
  { kind: "two wrong letters in any field", q: "xac-pic-0004148~2" },
  { kind: "everything", q: "*" },
  { kind: "everything, for a user who does not see everything", q: "*", as: "reader" },
  { kind: "a word without matches", q: "heliopause" },
];
