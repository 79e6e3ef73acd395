import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { detectCsvSeparator } from '@affkit/core';
import { CsvError, parse } from 'csv-parse';
import { CommandError } from '../../command-result.ts';

export interface CsvSource {
  readonly path: string;
  readonly separator: string;
  readonly header: readonly string[];
}

export interface CsvLine {
  /** The line of the file on which the row ends, starting at 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The header must fit into this number of bytes. */
const HEAD_BYTES = 65_536;
/** Without this limit, an unclosed quote would turn the rest of the file into one row. */
const MAX_ROW_BYTES = 1_048_576;

/**
 * Reads the header of a CSV file in UTF-8, with or without a byte order mark.
 * @throws CommandError when the file cannot be read
 */
export async function openCsv(path: string): Promise<CsvSource> {
  const head = await readHead(path);
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    throw new CommandError(`${path} must be in UTF-8. In Excel, save it as "CSV UTF-8".`);
  }
  const separator = detectCsvSeparator(head.toString('utf8'));
  for await (const { cells } of readLines(path, separator)) return { path, separator, header: cells };
  throw new CommandError(`${path} is empty`);
}

/**
 * Reads the rows of a CSV file, without keeping them in memory.
 * @param onProgress gets the fraction of the file that was read
 * @throws CsvUnreadable when the rest of the file cannot be read
 */
export async function* readCsv(
  { path, separator }: CsvSource,
  onProgress: (fraction: number) => void,
): AsyncGenerator<CsvLine> {
  let isHeader = true;
  for await (const line of readLines(path, separator, onProgress)) {
    if (!isHeader) yield line;
    isHeader = false;
  }
}

/** Thrown when a row is not valid CSV. After such a row, the rest of the file cannot be read. */
export class CsvUnreadable extends Error {
  override readonly name: string = 'CsvUnreadable';
  readonly line: number;

  constructor(message: string, line: number, options: ErrorOptions) {
    super(message, options);
    this.line = line;
  }
}

async function* readLines(
  path: string,
  separator: string,
  onProgress?: (fraction: number) => void,
): AsyncGenerator<CsvLine> {
  const stream = createReadStream(path);
  const total = onProgress === undefined ? 0 : (await stat(path)).size || 1;
  const rows = stream.pipe(
    parse({
      bom: true,
      delimiter: separator,
      info: true,
      skip_empty_lines: true,
      trim: true,
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: MAX_ROW_BYTES,
    }),
  );
  stream.once('error', (error) => rows.destroy(error));
  try {
    for await (const row of rows) {
      const { record, info } = row as { record: string[]; info: { lines: number } };
      onProgress?.(stream.bytesRead / total);
      yield { line: info.lines, cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    // Omit the rest of the parser's message, because it contains text of the file.
    const [reason = ''] = error.message.split(':');
    throw new CsvUnreadable(`${reason}. The rest of the file was not read`, Number(error['lines']), {
      cause: error,
    });
  } finally {
    stream.destroy();
  }
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
