// Where backups are kept: a directory, or a bucket of S3.
import type { Writable } from "node:stream";
import type { S3Settings } from "../../config.ts";
import { directory } from "./directory.ts";
import { bucket } from "./s3.ts";

export interface Destination {
  /** The names of its files. */
  list(): Promise<string[]>;
  /** Writes a file completely or not at all, and returns its size. */
  write(name: string, fill: (to: Writable) => Promise<void>): Promise<number>;
  read(name: string): AsyncIterable<Uint8Array>;
  remove(name: string): Promise<void>;
}

export function isS3(place: string): boolean {
  return place.startsWith("s3://");
}

export function destinationOf(place: string, s3: S3Settings): Destination {
  return isS3(place) ? bucket(place, s3) : directory(place);
}

/** The file of a destination as commands name it. */
export function pathOf(place: string, name: string): string {
  return place.endsWith("/") ? place + name : `${place}/${name}`;
}
