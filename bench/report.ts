export type Report = (line: string) => void;

/** A problem that the user has to solve; the message is one sentence. */
export class UserError extends Error {}
