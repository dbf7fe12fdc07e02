/** A command failed; the message is one sentence. */
export class CommandFailed extends Error {}
