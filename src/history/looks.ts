// Looks at the database that many events ask for.

/**
 * Looks one after the other, never two at once: whatever asks for a look during one causes one more. After an error the
 * next that asks tries again.
 */
export function oneAtATime(
  look: () => Promise<void>,
  failed: (error: unknown) => void,
): () => void {
  let isLooking = false;
  let isWanted = false;
  const run = async () => {
    isLooking = true;
    try {
      while (isWanted) {
        isWanted = false;
        await look();
      }
    } finally {
      isLooking = false;
    }
  };
  return () => {
    isWanted = true;
    if (!isLooking) run().catch(failed);
  };
}
