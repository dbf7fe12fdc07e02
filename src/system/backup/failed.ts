import { CannotBackUp } from "../../../db/backup/format.ts";

/** A directory or a bucket cannot be used; the message says why and what to do. */
export class DestinationFailed extends CannotBackUp {}

/** The database cannot say whether a backup is due. */
export class CannotClaim extends CannotBackUp {}
