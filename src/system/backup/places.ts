import type { S3Settings } from "../../config.ts";
import { type Destination, isS3 } from "./destination.ts";
import { directoryDestination } from "./directory.ts";
import { s3Destination } from "./s3.ts";

export function destinationOf(place: string, s3: S3Settings): Destination {
  return isS3(place) ? s3Destination(place, s3) : directoryDestination(place);
}
