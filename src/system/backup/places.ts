import type { S3Settings } from "../../config.ts";
import { type Destination, isS3 } from "./destination.ts";
import { directory } from "./directory.ts";
import { bucket } from "./s3.ts";

export function destinationOf(place: string, s3: S3Settings): Destination {
  return isS3(place) ? bucket(place, s3) : directory(place);
}
