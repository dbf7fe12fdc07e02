// Which texts PostgreSQL reads as numbers, addresses and blocks of addresses.
import { readAddress } from "../../input/addresses.ts";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;
/** As an integer it can be looked up in an index of integers. */
const INTEGER = /^[+-]?\d{1,18}$/;

export function isInteger(text: string): boolean {
  return INTEGER.test(text);
}

export function isDecimal(text: string): boolean {
  return NUMBER.test(text);
}

/** An address with the length of its prefix; it need not be the first one of its block. */
export function isBlockOfAddresses(text: string): boolean {
  const [start = "", length = "", ...more] = text.split("/");
  const address = readAddress(start);
  if (!address || more.length > 0 || !/^\d{1,3}$/.test(length)) return false;
  return Number(length) <= (address.family === 4 ? 32 : 128);
}
