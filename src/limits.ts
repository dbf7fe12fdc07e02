// How much is taken of what comes from outside.

const KIB = 1024;
const MIB = 1024 * KIB;

/** Bytes of one part of an .xlsx file, unpacked. A sheet of 10,000 rows takes about a tenth of it. */
export const LARGEST_UNPACKED_PART = 64 * MIB;
/** Bytes of all parts of an .xlsx file that are read, unpacked. */
export const LARGEST_UNPACKED = 96 * MIB;
/** Parts of an .xlsx file. */
export const MOST_PARTS = 10_000;
/** Elements of one part of an .xlsx file. */
export const MOST_XML_ELEMENTS = 4_000_000;
/** Elements inside of one another in an .xlsx file. */
export const DEEPEST_XML = 64;
/** Characters of the format of a number in an .xlsx file; a longer one is not taken for a date. */
export const LONGEST_NUMBER_FORMAT = 255;

/** Rows of a spreadsheet below its headings, without the blank ones. */
export const MOST_ROWS = 10_000;
/** Columns of a spreadsheet, to the last one that is filled in. */
export const MOST_COLUMNS = 100;
/** Lines of a spreadsheet, blank ones included. */
export const MOST_SHEET_LINES = 100_000;
/** Cells of a spreadsheet, blank ones included. */
export const MOST_CELLS = 1_000_000;
/** Characters of a cell. Excel has the same limit. */
export const LONGEST_CELL = 32_767;
/** Characters of all cells of a spreadsheet. */
export const LARGEST_TABLE = 16 * MIB;

/** Milliseconds to read a spreadsheet. */
export const LONGEST_READING = 20_000;
/** Spreadsheets that one process reads at a time, and those that wait for their turn. */
export const MOST_READINGS = 2;
export const MOST_WAITING_READINGS = 8;
