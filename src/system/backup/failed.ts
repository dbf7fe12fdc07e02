import { CannotBackUp } from "../../../db/backup/format.ts";

/** A directory or a bucket cannot be used; the message says why and what to do. */
export class DestinationFailed extends CannotBackUp {}

/** Nothing there answers: whatever is asked next fails as well. */
export class DestinationAway extends DestinationFailed {}

/** The database cannot say whether a backup is due. */
export class CannotClaim extends CannotBackUp {}
