/** A command ran and did not succeed; the message is one sentence. */
export class Failed extends Error {}
