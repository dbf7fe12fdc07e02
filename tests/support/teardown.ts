// What is shared by all files of a run, and closed when the last of them has ended.
type Close = () => Promise<unknown>;

const closing: Close[] = [];

export function onTeardown(close: Close): void {
  closing.push(close);
}

export async function closeAll(): Promise<void> {
  await Promise.all(closing.splice(0).map((close) => close()));
}
