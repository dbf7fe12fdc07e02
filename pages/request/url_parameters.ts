/** The path with changed parameters; null removes one. */
export function withParams(
  path: string,
  params: URLSearchParams,
  changes: Record<string, string | number | null>,
): string {
  const changed = new URLSearchParams(params);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.delete(name);
    else changed.set(name, String(value));
  }
  const query = changed.toString();
  return query ? `${path}?${query}` : path;
}
