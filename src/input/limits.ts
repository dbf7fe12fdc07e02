// Limits on input. docs/limits.md lists them for operators; a test compares both.

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
/** Levels of nested elements in an .xlsx file. */
export const DEEPEST_XML = 64;
/** Characters of a number format in an .xlsx file; a longer one is not recognised as that of a date. */
export const LONGEST_NUMBER_FORMAT = 255;

/** Rows of a spreadsheet below its headings, without blank ones. */
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
/** Spreadsheets that one process reads at a time, and that wait for it; the same for long variables. */
export const MOST_READINGS = 2;
export const MOST_WAITING_READINGS = 8;

/** Bytes of a request's line and headers; Bun itself answers 431 beyond it. */
export const LARGEST_HEAD = 64 * KIB;
/** Seconds for a request to arrive: its headers and, until its caller is known, its body. */
export const LONGEST_ARRIVAL = 15;
/** Seconds without traffic after which any other connection is closed; an upload has to be faster than 16 KiB a second. */
export const LONGEST_SILENCE = 30;
/** Requests from one address whose caller is not known and whose body has not arrived yet. */
export const MOST_ARRIVING = 100;
/** Characters of the path of a URL, percent-encoded. */
export const LONGEST_PATH = 4 * KIB;
/** Characters of the URL of a webhook or a trigger. */
export const LONGEST_TARGET_URL = 2_000;
export const MOST_WEBHOOKS = 100;
/** Values of one filter of a webhook or a trigger. */
export const MOST_FILTER_VALUES = 100;
/** Change sets. */
export const MOST_REPLAYED = 100_000;
/** Parameters of a URL. */
export const MOST_PARAMETERS = 1_000;
/** Fields that a list is sorted by. */
export const MOST_SORT_FIELDS = 20;
/** Characters of the `Cookie` header; a longer one is not read. */
export const LARGEST_COOKIE = 16 * KIB;
/** Characters of an `Idempotency-Key`. */
export const LONGEST_IDEMPOTENCY_KEY = 255;

/** Bytes of a JSON body, and of a form without a file. */
export const LARGEST_BODY = MIB;
/** Bytes of the JSON that a login carries: the longest name and password, each character escaped. */
export const LARGEST_LOGIN = 16 * KIB;
/** Bytes of the login form, which also contains the address of the next page. */
export const LARGEST_LOGIN_FORM = 64 * KIB;
/** Bytes of a form that carries a file. */
export const LARGEST_FILE_FORM = 16 * MIB;
/** Bytes of a photo or a document of a record. */
export const LARGEST_UPLOAD = 10 * MIB;
/** Bytes of a form that carries several of them. */
export const LARGEST_FILES_FORM = 60 * MIB;
export const MOST_FILES = 20;
/** Bytes of files that a person may send in an hour; those that are there already do not count. */
export const MOST_SENT = 100 * MIB;
/** Pixels of a side, and bytes, of a picture as lists show it. */
export const LARGEST_SMALL = 160;
export const MOST_SMALL = 32 * KIB;
export const MOST_PIXELS = 100_000_000;
/** Bytes of an import in JSON lines. */
export const LARGEST_ROWS = 16 * MIB;
/** Bytes of one line of it, without the blanks around it. */
export const LARGEST_ROW = MIB;
/** Bytes of any request; above all other limits, so that those answer with a clear message. */
export const LARGEST_REQUEST = 65 * MIB;
/** Bytes of all bodies over LARGEST_BODY that one process holds at a time. */
export const LARGEST_HELD = 256 * MIB;
/** Bytes that are read and discarded from a refused body without a length; then the connection is closed. */
export const MOST_DROPPED = 16 * MIB;

/** Fields of a form, files included. */
export const MOST_FIELDS = 10_000;
/** Fields of the login form. */
export const MOST_LOGIN_FIELDS = 20;
/** Lines of an import in JSON lines, blank ones included. */
export const MOST_LINES = 100_000;

/** Levels of lists and objects in a JSON body. */
export const DEEPEST = 32;
/** Values in a JSON body, including lists and objects. */
export const MOST_VALUES = 25_000;
/** Elements of a list in a JSON body, unless its field has another limit. */
export const MOST_ELEMENTS = 1_000;
/** Combining marks in a row in any text. */
export const MOST_MARKS = 30;
/** Combining marks in a request, and in a row of an import: other requests wait while they are composed. */
export const MOST_MARKS_IN_ALL = 100_000;
/** Errors in one answer. */
export const MOST_ERRORS = 100;

/** Values in the variables of a host or a group, including lists and objects. */
export const MOST_VARIABLES = 10_000;
/** Characters of the name of a variable, at any level. */
export const LONGEST_VARIABLE_NAME = 255;
/** Bytes of the names that lead to a value in variables, joined by dots. */
export const LONGEST_VARIABLE_PATH = 1_000;
/** Characters of the text that the variables of a host are edited as. */
export const LONGEST_HOST_VARS = 100_000;
/** Characters of the text that the variables of a group are edited as. */
export const LONGEST_GROUP_VARS = 50_000;
/** Merge keys (`<<`) in variables that are written in YAML. */
export const MOST_MERGES = 100;
/** Characters of variables that are parsed on the main thread; longer texts, or ones with merge keys, use a worker. */
export const LONGEST_SHORT_VARS = 4_000;
/** Milliseconds to read variables in a thread. */
export const LONGEST_VARS_READING = 5_000;

/** Logins that wait for a password check in one process: in total, and from one address. */
export const MOST_WAITING_LOGINS = 100;
export const MOST_WAITING_LOGINS_OF_ONE = 20;
/** Providers by which people log in, and mappings from the groups of one of them to ours. */
export const MOST_PROVIDERS = 20;
export const MOST_MAPPINGS = 200;
/** Rights in one place of one user. */
export const MOST_RIGHTS = 200;

/** Passkeys of a user, characters of the name of one, and recovery codes. */
export const MOST_PASSKEYS = 10;
export const LONGEST_PASSKEY_NAME = 60;
export const RECOVERY_CODES = 10;
/** Minutes to answer with a passkey, and to end a login that needs a second step. */
export const PASSKEY_MINUTES = 5;
export const SECOND_STEP_MINUTES = 15;

/** Refusals of one user within PROBING_MINUTES: because of hidden records, and because of any conflict. */
export const MOST_HIDDEN = 30;
export const MOST_TAKEN = 300;
export const PROBING_MINUTES = 15;

/** Fuzzy terms of one query. */
export const MOST_FUZZY_TERMS = 100;
/** Characters of each fuzzy term if there are MOST_FUZZY_TERMS; fewer terms may be longer. */
export const LONGEST_OF_MANY_FUZZY = 16;

/** Seconds that a request waits for changes. */
export const LONGEST_WAIT = 60;
/** Requests that wait for changes in one process: in total, and of one user. */
export const MOST_WAITS = 200;
export const MOST_WAITS_OF_USER = 20;
/** Lists that one process sends as files: in total, and to one user. Each has a connection of its own. */
export const MOST_LIST_FILES = 16;
export const MOST_LIST_FILES_OF_USER = 4;
/** Streams of events that one process has open: in total, and of one user. */
export const MOST_STREAMS = 2_000;
export const MOST_STREAMS_OF_USER = 100;
/** Bytes of events that wait for a reader of a stream; then it is disconnected. */
export const LARGEST_STREAM_BACKLOG = 256 * KIB;

/** Lines of the audit log in one answer. */
export const MOST_AUDIT_LINES = 10_000;

/** Records of a list that are changed or deleted at once, where the list has no limit of its own. */
export const MOST_RECORDS_AT_ONCE = 500;

/** Addresses and blocks from which a token may be used. */
export const MOST_TOKEN_NETWORKS = 50;
/** Minutes that the former secret of a rotated token stays valid: seven days. */
export const LONGEST_TOKEN_OVERLAP = 7 * 24 * 60;

/** Watches of one user. */
export const MOST_WATCHES = 200;
/** Changes of records that one mail lists, and that it counts beyond those. */
export const MOST_MAILED_CHANGES = 100;
export const MOST_COUNTED_CHANGES = 10_000;
/** Changes of records that a watched search looks at: the newest. */
export const MOST_SEARCHED_CHANGES = 2_000;
/** Changes of records in a feed of watches. */
export const MOST_FEED_CHANGES = 200;
/** Mails in a day that confirm an address of one user, and test mails of one admin. */
export const MOST_CONFIRMATION_MAILS = 5;

/** Triggers, characters of the template of a request, and its placeholders. */
export const MOST_TRIGGERS = 50;
export const LARGEST_TRIGGER_TEMPLATE = 16 * KIB;
export const MOST_PLACEHOLDERS = 100;
export const MOST_PLACEHOLDER_FILTERS = 5;
/** Bytes of the request that starts a job. */
export const LARGEST_TRIGGER_REQUEST = 256 * KIB;
/** Hosts of one job; further ones get a job of their own. */
export const MOST_TRIGGER_HOSTS = 1_000;
/** Change sets that a template can name; all are counted. */
export const MOST_TRIGGER_CHANGES = 100;
/** Seconds without a change before a job starts, and seconds to wait at most. */
export const LONGEST_TRIGGER_QUIET = 300;
export const LONGEST_TRIGGER_MOST = 3_600;
