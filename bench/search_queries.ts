// Search queries at scale, one for each feature of the language; many_hosts.sql makes what they find.

export interface BenchQuery {
  kind: string;
  q: string;
  as?: "admin" | "reader";
}

export const QUERIES: BenchQuery[] = [
  { kind: "a name, of its field", q: "name:vac-plc-0004148" },
  { kind: "a name, of any field", q: "vac-plc-0004148" },
  { kind: "an address, of any field", q: "10.128.0.42" },
  { kind: "a MAC address", q: "mac:0a:00:00:00:20:68" },
  { kind: "a network", q: "network:Net-00012" },
  { kind: "a full name", q: "fqdn:vac-plc-0004148.*" },
  { kind: "a group, 28 % of all", q: "group:Monitored" },
  { kind: "a truth, 75 %", q: "is_ioc:false" },
  { kind: "a word of descriptions, 20 %", q: "controller" },
  { kind: "a prefix of names, narrow", q: "name:vac-plc-000*" },
  { kind: "a prefix of names, 4 %", q: "name:vac*" },
  { kind: "a prefix of any field, narrow", q: "vac-plc-000*" },
  { kind: "a prefix of any field, 20 %", q: "contr*" },
  { kind: "two words that follow each other", q: "section 42" },
  { kind: "AND", q: "group:role-08 AND is_ioc:true" },
  { kind: "OR, 22 %", q: "type:PLC OR type:VME" },
  { kind: "NOT, 20 %", q: "is_ioc:true AND NOT description:controller" },
  { kind: "groups of clauses", q: "(type:PLC OR type:VME) AND group:Monitored AND NOT name:vac*" },
  { kind: "a block of addresses, /24", q: "10.128.0.0/24" },
  { kind: "a block of addresses, /20", q: "10.128.0.0/20" },
  { kind: "a month", q: "created_at:[2025-03-01 TO 2025-03-31]" },
  { kind: "a variable", q: "automation_vars.section:42" },
  { kind: "a range of numbers", q: "automation_vars.port:[100 TO 1000]" },
  { kind: "an infix of names", q: "name:*00414*" },
  { kind: "an infix of any field, narrow", q: "*00414*" },
  { kind: "an infix of any field, 24 %", q: "*vac*" },
  { kind: "a regular expression, of names", q: "name:/vac-plc-0004[1-4]../" },
  { kind: "a regular expression, of any field", q: "/vac-plc-0004[1-4]../" },
  { kind: "one letter wrong, in a name", q: "name:xac-plc-0004148~1" },
  { kind: "two letters wrong, in a name", q: "name:xac-pic-0004148~2" },
  { kind: "one letter wrong, in any field", q: "xac-plc-0004148~1" },
  { kind: "two letters wrong, in any field", q: "xac-pic-0004148~2" },
  { kind: "everything", q: "*" },
  { kind: "everything, to one who may not see all", q: "*", as: "reader" },
  { kind: "a word that nothing has", q: "heliopause" },
];
