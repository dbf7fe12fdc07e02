export { type Answer, api, reference, visit } from "./api.ts";
export { alice, audrey, bob, carol, cast, dave, PASSWORD, type Person, stranger } from "./cast.ts";
export * from "./makers.ts";
export { fieldsOf, namesOf, searched } from "./reading.ts";
export { idOf, serve, service, tokenOf } from "./service.ts";
