// Parts of response bodies.

/** The fields that an error response names. */
export function fieldsOf(body: { errors?: Array<{ field: string }> }): string[] {
  return (body.errors ?? []).map(({ field }) => field);
}

export function namesOf(records: Array<{ name: string }>): string[] {
  return records.map(({ name }) => name);
}
