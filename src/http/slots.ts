// Slots for requests that stay open for long: so many of one user or address, and so many in this process.
import { Refusal, tooMany } from "../input/errors.ts";

interface SlotLimits {
  ofUser: number;
  inAll: number;
  /** Seconds after which to try again. */
  retryAfter: number;
  /** What a user is told who has too many. */
  forUser: string;
  /** What everybody is told when all slots are taken. */
  forAll: string;
}

export interface Slots {
  /** Takes a slot, or refuses. Returns a function that gives it back, to be called once. */
  take(user: number | string | null): () => void;
}

export function slots({ ofUser, inAll, retryAfter, forUser, forAll }: SlotLimits): Slots {
  const takenBy = new Map<number | string | null, number>();
  let taken = 0;
  return {
    take: (user) => {
      const own = takenBy.get(user) ?? 0;
      if (own >= ofUser) throw tooMany(retryAfter, forUser);
      if (taken >= inAll) {
        throw new Refusal(503, forAll, { headers: { "Retry-After": String(retryAfter) } });
      }
      takenBy.set(user, own + 1);
      taken += 1;
      return () => {
        taken -= 1;
        const left = (takenBy.get(user) ?? 1) - 1;
        if (left > 0) takenBy.set(user, left);
        else takenBy.delete(user);
      };
    },
  };
}
