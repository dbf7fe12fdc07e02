export type Say = (line: string) => void;

/** Something that a person has to see to; the message is one sentence. */
export class Trouble extends Error {}
