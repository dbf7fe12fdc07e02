import { Elysia } from "elysia";

export function reference(_document: () => unknown) {
  return new Elysia();
}
