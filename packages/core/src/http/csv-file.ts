import { CsvError, parse as parseCsv } from 'csv-parse/sync';
import { detectCsvSeparator } from '../domain/csv.ts';
import { Rejection } from '../rejection.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });
/**
 * Browsers that read a file as text replace bytes that are not UTF-8 with this character. A file that contains the
 * character is rejected, because its original text is lost.
 */
const REPLACEMENT_CHARACTER = '\ufffd';

/** A row of an uploaded file. */
interface CsvRow {
  /** The line of the file on which the row ends, starting at 1. */
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

export interface CsvFile {
  readonly rows: readonly CsvRow[];
  /** Whether `1,50` means 1.5. True if semicolons separate the cells, as in spreadsheets with a decimal comma. */
  readonly hasDecimalComma: boolean;
}

export interface CsvRules {
  readonly maxRows: number;
  /** Returns the keys of the columns, or a rejection if the header is not valid. */
  readonly readHeader: (names: readonly string[]) => string[] | Rejection;
  /** Whether rows may have fewer or more cells than the header. */
  readonly isRagged: boolean;
}

class HeaderError extends Error {
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.rejection = rejection;
  }
}

/**
 * Reads an uploaded CSV file in UTF-8, with or without a byte order mark. The header decides whether commas,
 * semicolons, or tabs separate the cells: Excel writes semicolons where numbers have a decimal comma.
 */
export function readCsvFile(bytes: Uint8Array | 'too_large', rules: CsvRules): CsvFile | Rejection {
  if (bytes === 'too_large') return new Rejection('body_too_large');
  const text = decode(bytes);
  if (text === null) {
    return invalid('The body must be a CSV file in UTF-8. In Excel, save it as "CSV UTF-8".');
  }
  const delimiter = detectCsvSeparator(text);
  try {
    const records: { record: Record<string, string>; info: { lines: number } }[] = parseCsv(text, {
      delimiter,
      columns: (names: string[]) => {
        const header = rules.readHeader(names);
        if (header instanceof Rejection) throw new HeaderError(header);
        return header;
      },
      info: true,
      skip_empty_lines: true,
      trim: true,
      relax_column_count: rules.isRagged,
      to: rules.maxRows + 1,
    });
    if (records.length === 0) return invalid('The file must have a header and at least one row');
    if (records.length > rules.maxRows) return invalid(`The file must have at most ${rules.maxRows} rows`);
    const rows = records.map(({ record, info }) => ({ line: info.lines, cells: record }));
    return { rows, hasDecimalComma: delimiter === ';' };
  } catch (error) {
    if (error instanceof HeaderError) return error.rejection;
    if (!(error instanceof CsvError)) throw error;
    // Omit the rest of the parser's message, because it contains text of the file.
    const [reason = ''] = error.message.split(':');
    return invalid(`The body is not valid CSV: ${reason} on line ${String(error['lines'])}`);
  }
}

function decode(bytes: Uint8Array): string | null {
  try {
    // The decoder removes a byte order mark. CRLF is replaced, because the parser counts a CRLF inside quotes
    // as two lines.
    const text = UTF8.decode(bytes).replaceAll('\r\n', '\n');
    return text.includes(REPLACEMENT_CHARACTER) ? null : text;
  } catch {
    return null;
  }
}

function invalid(message: string): Rejection {
  return new Rejection('invalid_field', message);
}
