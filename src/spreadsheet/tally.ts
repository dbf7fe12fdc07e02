// Counts the lines, cells and characters of a spreadsheet while it is read, and refuses it as soon as a limit is exceeded.

import { LARGEST_TABLE, LONGEST_CELL, MOST_CELLS, MOST_SHEET_LINES } from "../input/limits.ts";
import { formatNumber } from "../input/text.ts";
import { unreadable } from "./unreadable.ts";

/** The most rows and columns that are read: a larger file is refused. */
export interface TableLimits {
  rows: number;
  columns: number;
}

export interface TableLine {
  /** The number that the spreadsheet or text editor shows. */
  line: number;
  /** Trimmed, up to the last one that is not blank. */
  cells: string[];
}

export class Tally {
  #lines = 0;
  #cells = 0;
  #characters = 0;

  constructor(readonly limits: TableLimits) {}

  /** Counts a line, whether it is blank or not. */
  line(): void {
    this.#lines += 1;
    if (this.#lines <= MOST_SHEET_LINES) return;
    throw unreadable(
      `This file has more than ${formatNumber(MOST_SHEET_LINES)} lines; delete those that are blank, or split it`,
    );
  }

  /** Counts a cell and puts it into its row, unless it is blank: a row ends at its last cell that is not blank. */
  put(cells: string[], at: number, text: string): void {
    this.#cells += 1;
    this.#characters += text.length;
    if (this.#cells > MOST_CELLS) {
      throw unreadable(
        `This file has more than ${formatNumber(MOST_CELLS)} cells, blank ones included; split it`,
      );
    }
    requireShort(text);
    if (this.#characters > LARGEST_TABLE) {
      throw unreadable("The cells of this file hold more than 16 million characters; split it");
    }
    const shown = text.trim();
    if (shown === "") return;
    if (at >= this.limits.columns) throw unreadable(`Use at most ${this.limits.columns} columns`);
    while (cells.length < at) cells.push("");
    cells[at] = shown;
  }
}

export function tooManyRows(most: number): string {
  return `Import at most ${formatNumber(most)} rows at once`;
}

export function requireShort(text: string): void {
  if (text.length <= LONGEST_CELL) return;
  const begins = text.slice(0, 200).trim().slice(0, 20);
  const which = begins === "" ? "" : `, the one that begins with "${begins}"`;
  throw unreadable(`A cell has more than ${formatNumber(LONGEST_CELL)} characters${which}`);
}
