/** A record of a resource that has no type of its own. */
export type StandardRow = { id: number; user: string | null; updated_at: string } & Record<
  string,
  unknown
>;
