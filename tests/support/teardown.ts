// Closes what all files of a run share, after the last of them.
type Close = () => Promise<unknown>;

const closing: Close[] = [];

export function onTeardown(close: Close): void {
  closing.push(close);
}

export async function closeAll(): Promise<void> {
  await Promise.all(closing.splice(0).map((close) => close()));
}
