/** There was no time to find out, or it would be too much to ask. */
export class TakesTooLong extends Error {}
