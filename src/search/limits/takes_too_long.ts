/** There was no time to find out. */
export class TakesTooLong extends Error {
  constructor(message = "This expression takes too long; narrow it down") {
    super(message);
  }
}

/** It would be too much to ask, at any time. */
export class TooMuch extends TakesTooLong {}
