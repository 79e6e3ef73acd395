import { randomBytes } from 'node:crypto';
import { createAffkit, type Engine, formatMoney, HistoryError, recordHistory } from '@affkit/core';
import { CommandError, type CommandOutput, type CommandResult } from '../command-result.ts';
import { type FolderImport, importFiles, openFolder } from './history/import-folder.ts';
import { RowReader } from './history/row-reader.ts';
import type { Vendor } from './vendors/vendor.ts';

export interface VendorImportOptions {
  readonly vendor: Vendor;
  readonly folder: string;
  /** The slug of the program. Null selects the only program of the database. */
  readonly programSlug: string | null;
  /** The unit of the amounts, or null for the default of the vendor. */
  readonly amounts: 'minor' | 'major' | null;
  readonly isDryRun: boolean;
  readonly now: () => number;
}

/**
 * Imports partners, customers, and commissions from the CSV files of another affiliate service. You can run the
 * command while the server is running. If it is interrupted, run it again. The exit code is 1 if rows were skipped.
 * @throws CommandError if the files or the program cannot be read
 */
export async function runVendorImport(
  engine: Engine,
  { vendor, folder, programSlug, amounts, isDryRun, now }: VendorImportOptions,
  { progress }: CommandOutput,
): Promise<CommandResult> {
  const { files, ignored } = await openFolder(folder, vendor);
  const unit = amounts ?? vendor.amounts;
  // An import stores no encrypted values, so any secret works.
  const secret = randomBytes(32).toString('hex');
  const { runtime } = createAffkit({ engine, secret, now, logger: SILENT_LOGGER });
  const options = { source: vendor.name, sourceTitle: vendor.title, programSlug, isDryRun };
  try {
    return await recordHistory(runtime, options, async (record, program) => {
      const reader = new RowReader({ vendor, unit, currency: program.currency });
      const result = await importFiles(files, reader, record, { progress, now: now() });
      const facts = { vendor: vendor.name, program: program.slug, dry_run: isDryRun, amounts: unit };
      return describeImport(result, facts, ignored);
    });
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
    throw new CommandError(error.message, { cause: error });
  }
}

const SILENT_LOGGER = { info: () => {}, warn: () => {}, error: () => {} };

function describeImport(
  { reports, sums }: FolderImport,
  facts: { readonly program: string; readonly dry_run: boolean; readonly amounts: 'minor' | 'major' },
  ignored: readonly string[],
): CommandResult {
  const commissions = [...sums.commissions].map(([key, { count, cents }]) => {
    const [state = '', currency = ''] = key.split(' ');
    return { state, currency, count, amount_cents: cents };
  });
  const payouts = [...sums.payouts].map(([currency, cents]) => {
    const paid = sums.commissions.get(`paid ${currency}`)?.cents ?? 0;
    return { currency, payouts_cents: cents, paid_commissions_cents: paid, difference_cents: cents - paid };
  });
  const skipped = reports.reduce((sum, report) => sum + report.skipped, 0);
  return {
    exitCode: skipped > 0 ? 1 : 0,
    data: {
      ...facts,
      files: reports.map((report) => report.toJson()),
      ignored_files: ignored,
      commissions,
      payouts,
    },
    lines: [
      ...reports.flatMap((report) => [...report.toLines(), '']),
      ...(ignored.length > 0 ? [`Ignored files: ${ignored.join(', ')}`] : []),
      `Amounts were read in ${facts.amounts === 'minor' ? 'the smallest unit of their currency, such as cents' : 'major units, such as dollars'}`,
      ...commissions.map(
        ({ state, currency, count, amount_cents }) =>
          `${state} commissions: ${count}, ${formatMoney(amount_cents, currency)}`,
      ),
      ...payouts.map(
        ({ currency, payouts_cents, difference_cents }) =>
          `paid payouts: ${formatMoney(payouts_cents, currency)}${difference_cents === 0 ? ', the same as the paid commissions' : `, which differs from the paid commissions by ${formatMoney(difference_cents, currency)}`}`,
      ),
      facts.dry_run
        ? `Dry run: nothing was written to the program ${facts.program}`
        : `Imported into the program ${facts.program}`,
    ],
  };
}
