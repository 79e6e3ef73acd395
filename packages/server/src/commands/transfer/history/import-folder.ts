import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { PastCommission, PastRecord, RecordBatch } from '@affkit/core';
import { CommandError } from '../../command-result.ts';
import type { Progress } from '../../progress-bar.ts';
import { FILE_KINDS, type FileKind, type Vendor } from '../vendors/vendor.ts';
import { FileReport } from './import-report.ts';
import { type ColumnMap, mapColumns } from './map-columns.ts';
import { UnreadableAmountError } from './parse-amount.ts';
import { type CsvSource, CsvUnreadable, openCsv, readCsv } from './read-csv.ts';
import { Row, RowError, RowIgnored } from './row.ts';
import type { ReadRow, RowReader } from './row-reader.ts';

/** A CSV file in the folder, and the columns of its fields. */
export interface VendorFile {
  readonly kind: FileKind;
  readonly source: CsvSource;
  readonly columns: ColumnMap;
}

export interface VendorFolder {
  readonly files: readonly VendorFile[];
  /** CSV files whose names do not contain any of the expected words. */
  readonly ignored: readonly string[];
}

/** Sums in the smallest unit of each currency. Commissions are also grouped by state. */
interface ImportSums {
  readonly commissions: Map<string, { readonly count: number; readonly cents: number }>;
  readonly payouts: Map<string, number>;
  /** The commissions and payouts in the sums. A row can be in several files, such as those of a month and of a year. */
  readonly counted: Set<string>;
}

export interface FolderImport {
  readonly reports: readonly FileReport[];
  readonly sums: ImportSums;
}

/** The number of rows per transaction. Other work of the workspace can run between two batches. */
const BATCH_SIZE = 32;

/**
 * Finds the CSV files of a vendor, and checks their columns. Nothing is written.
 * @throws CommandError when a file cannot be read, or a required column is missing
 */
export async function openFolder(folder: string, vendor: Vendor): Promise<VendorFolder> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${folder} cannot be read: ${error.message}`, { cause: error });
  });
  const files: VendorFile[] = [];
  const ignored: string[] = [];
  for (const name of names.filter((one) => /\.csv$/i.test(one)).sort()) {
    const kind = kindOf(name, vendor);
    const table = kind && vendor.files[kind];
    if (!kind || !table) {
      ignored.push(name);
      continue;
    }
    const source = await openSource(join(folder, name));
    files.push({ kind, source, columns: mapColumns(name, kind, table, source.header) });
  }
  if (files.length > 0) return { files: inOrder(files), ignored };
  const expected = FILE_KINDS.flatMap((kind) => vendor.files[kind]?.names[0] ?? []);
  throw new CommandError(
    `${folder} has no CSV file of ${vendor.title}. Name the files ${expected.map((name) => `${name}.csv`).join(', ')}`,
  );
}

async function openSource(path: string): Promise<CsvSource> {
  try {
    return await openCsv(path);
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error;
    throw new CommandError(`${path} cannot be read: ${error.message}`, { cause: error });
  }
}

/** Finds the kind of a file by a word in its name, such as `commissions` in `Commissions 2024-05.csv`. */
function kindOf(file: string, { files }: Vendor): FileKind | undefined {
  const words = file.toLowerCase().split(/[^a-z]+/);
  return FILE_KINDS.find((kind) => files[kind]?.names.some((name) => words.includes(name)));
}

/**
 * Sorts the files so that a row is read after the partner and the customer to which it refers. Customers refer to
 * partners, for example, and commissions refer to customers.
 */
function inOrder(files: readonly VendorFile[]): VendorFile[] {
  return [...files].sort((a, b) => FILE_KINDS.indexOf(a.kind) - FILE_KINDS.indexOf(b.kind));
}

/** Reads all files, and records their rows in batches. A row that cannot be recorded does not stop the others. */
export async function importFiles(
  files: readonly VendorFile[],
  reader: RowReader,
  record: RecordBatch,
  { progress, now }: { readonly progress: Progress; readonly now: number },
): Promise<FolderImport> {
  const sums: ImportSums = { commissions: new Map(), payouts: new Map(), counted: new Set() };
  const reports: FileReport[] = [];
  for (const file of files) {
    const name = basename(file.source.path);
    const report = new FileReport(name, file.kind, file.source, file.columns);
    reports.push(report);
    const batch = new Batch(record, report, sums);
    try {
      for await (const { line, cells } of readCsv(file.source, (fraction) => progress.show(name, fraction))) {
        const row = readRow(file, reader, cells, now, sums);
        if ('record' in row) await batch.add(line, row);
        else report.add(line, row);
      }
    } catch (error) {
      if (!(error instanceof CsvUnreadable)) throw error;
      report.stop(error.line, error.message);
    }
    await batch.flush();
  }
  return { reports, sums };
}

type UnrecordedRow =
  | { readonly outcome: 'skipped' | 'ignored'; readonly reason: string }
  | { readonly outcome: 'existing'; readonly note: null };

function readRow(
  { kind, source, columns }: VendorFile,
  reader: RowReader,
  cells: readonly string[],
  now: number,
  { payouts, counted }: ImportSums,
): ReadRow | UnrecordedRow {
  const hasDecimalComma = source.separator === ';';
  try {
    const row = new Row(cells, columns, now);
    switch (kind) {
      case 'partners':
        return reader.readPartner(row);
      case 'links':
        return reader.readLink(row);
      case 'customers':
        return reader.readCustomer(row);
      case 'commissions':
        return reader.readCommission(row, hasDecimalComma);
      case 'payouts': {
        const paid = reader.readPayout(row, hasDecimalComma);
        if (paid === null) return { outcome: 'ignored', reason: 'A payout that is not paid' };
        if (isFirst(counted, `payout ${paid.id}`)) {
          payouts.set(paid.currency, (payouts.get(paid.currency) ?? 0) + paid.cents);
        }
        return { outcome: 'existing', note: null };
      }
    }
  } catch (error) {
    if (error instanceof RowIgnored) return { outcome: 'ignored', reason: error.message };
    if (error instanceof RowError || error instanceof UnreadableAmountError) {
      return { outcome: 'skipped', reason: error.message };
    }
    throw error;
  }
}

/** Adds the name. Returns whether it is new. */
function isFirst(names: Set<string>, name: string): boolean {
  return names.size < names.add(name).size;
}

/** Rows that are recorded in one transaction. */
class Batch {
  readonly #record: RecordBatch;
  readonly #report: FileReport;
  readonly #sums: ImportSums;
  #rows: { readonly line: number; readonly note: string | null; readonly record: PastRecord }[] = [];

  constructor(record: RecordBatch, report: FileReport, sums: ImportSums) {
    this.#record = record;
    this.#report = report;
    this.#sums = sums;
  }

  async add(line: number, { record, note }: ReadRow): Promise<void> {
    this.#rows.push({ line, record, note });
    if (this.#rows.length >= BATCH_SIZE) await this.flush();
  }

  async flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length === 0) return;
    const outcomes = await this.#record(rows.map(({ record }) => record));
    for (const [index, { line, note, record }] of rows.entries()) {
      const outcome = outcomes[index];
      if (outcome === undefined) throw new Error(`Row ${line} has no outcome`);
      if (outcome.outcome === 'skipped') this.#report.add(line, outcome);
      else {
        const notes = [outcome.note, outcome.outcome === 'imported' ? note : null].filter(
          (text) => text !== null,
        );
        this.#report.add(line, { ...outcome, note: notes.length === 0 ? null : notes.join('. ') });
        if (record.kind === 'commission') this.#sum(record.commission);
      }
    }
  }

  #sum({ id, state, currency, commissionCents }: PastCommission): void {
    if (!isFirst(this.#sums.counted, `commission ${id}`)) return;
    const key = `${state} ${currency}`;
    const { count, cents } = this.#sums.commissions.get(key) ?? { count: 0, cents: 0 };
    this.#sums.commissions.set(key, { count: count + 1, cents: cents + commissionCents });
  }
}
