// Where backups are kept: a directory, or a bucket of S3.
import type { Writable } from "node:stream";

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

/** The file of a destination as commands name it. */
export function pathOf(place: string, name: string): string {
  return place.endsWith("/") ? place + name : `${place}/${name}`;
}
