import { Elysia } from "elysia";

/** Everything that people see. */
export const pages = new Elysia();
