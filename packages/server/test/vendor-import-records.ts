import { join } from 'node:path';
import type { Engine } from '@affkit/core';
import { sql } from '../../core/test/support/raw-sql.ts';
import { START, type World } from '../../core/test/support/world.ts';
import { runVendorImport } from '../src/commands/transfer/vendor-import-command.ts';
import type { Vendor } from '../src/commands/transfer/vendors/vendor.ts';
import { captureCommand } from './run-cli.ts';

export const EXPORTS = join(import.meta.dirname, 'vendor-exports');

interface ImportReport {
  readonly error?: string;
  readonly files: readonly {
    readonly file: string;
    readonly columns: readonly { readonly column: string; readonly mapped_to: string | null }[];
    readonly imported: number;
    readonly existing: number;
    readonly ignored: number;
    readonly skipped: number;
    readonly problems: readonly { readonly line: number; readonly kind: string; readonly reason: string }[];
  }[];
  readonly commissions: readonly object[];
  readonly payouts: readonly { readonly payouts_cents: number; readonly difference_cents: number }[];
}

/** Runs `affkit import <vendor> --json`. */
export async function importVendor(
  engine: Engine,
  vendor: Vendor,
  folder: string,
  {
    isDryRun = false,
    amounts = null,
    programSlug = null,
  }: { isDryRun?: boolean; amounts?: 'minor' | 'major' | null; programSlug?: string | null } = {},
): Promise<{ readonly code: number; readonly report: ImportReport }> {
  const options = { vendor, folder, programSlug, amounts, isDryRun, now: () => START };
  const { code, stdout } = await captureCommand((output) => runVendorImport(engine, options, output), {
    json: true,
  });
  return { code, report: JSON.parse(stdout) as ImportReport };
}

const TABLES = [
  ...['partners', 'partner_programs', 'links', 'link_directory', 'customers', 'lead_events', 'sales'],
  ...['commissions', 'refunds', 'payouts', 'ledger_entries', 'balances', 'counters', 'daily_totals'],
  ...['trace_notes', 'audit_log', 'invites', 'emails', 'outbox', 'processor_refs', 'transaction_directory'],
];

/** Returns all rows of the tables that an import could change. */
export async function readTables(engine: Engine): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    const { rows } = await sql<object>`SELECT * FROM ${sql.table(table)}`.execute(engine.read);
    tables[table] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return tables;
}

/** Returns the commissions, the balances, and the payouts of all partners in the program. */
export async function readMoneyRecords({ engine, program }: World) {
  const { rows: commissions } = await sql<object>`
    SELECT p.email, c.status, c.currency, COUNT(*) AS count, SUM(c.amount_cents) AS cents, SUM(s.amount_cents) AS sales
    FROM commissions c JOIN partners p ON p.id = c.partner_id
    JOIN sales s ON s.program_id = c.program_id AND s.id = c.sale_id
    WHERE c.program_id = ${program.id} GROUP BY p.email, c.status, c.currency ORDER BY p.email, c.status`.execute(
    engine.read,
  );
  const { rows: balances } = await sql<object>`
    SELECT p.email, b.currency, b.balance_cents FROM balances b JOIN partners p ON p.id = b.partner_id
    WHERE b.program_id = ${program.id} ORDER BY p.email`.execute(engine.read);
  const { rows: payouts } = await sql<object>`
    SELECT p.email, o.currency, o.status, o.amount_cents FROM payouts o JOIN partners p ON p.id = o.partner_id
    WHERE o.program_id = ${program.id} ORDER BY p.email, o.id`.execute(engine.read);
  return { commissions, balances, payouts };
}
