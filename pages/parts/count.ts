/** A number with its noun: 1 item, 2,000 MAC addresses. */
export function countOf(count: number, noun: string): string {
  const plural = noun.endsWith("s") ? `${noun}es` : `${noun}s`;
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}
