import { type Engine, readServiceStatus, type ServiceStatus } from '@affkit/core';
import { VERSION } from '../version.ts';
import type { CommandResult } from './command-result.ts';
import { formatBytes } from './format-bytes.ts';

const LARGEST_TABLES = 5;

/** Describes the service: database, tables, pending work, and the last events of each program. */
export async function runStatus(engine: Engine): Promise<CommandResult> {
  const status = await readServiceStatus({ engine, now: Date.now });
  const { database, data } = status;
  const { applied, pending, newer } = database.migrations;
  const programs = data?.programs.map(({ lastAt, ...program }) => ({
    ...program,
    lastAt: { click: isoOrNull(lastAt.click), lead: isoOrNull(lastAt.lead), sale: isoOrNull(lastAt.sale) },
  }));
  const outbox = data && { ...data.backlog.outbox, oldestAt: isoOrNull(data.backlog.outbox.oldestAt) };
  return {
    exitCode: 0,
    data: {
      version: VERSION,
      database,
      data: data && { ...data, backlog: { ...data.backlog, outbox }, programs },
    },
    lines: [
      `Affkit ${VERSION}`,
      `Database: ${database.dialect === 'sqlite' ? 'SQLite' : 'Postgres'} ${database.version}`,
      `Migrations: ${applied.length} applied, ${pending.length} pending${newer.length > 0 ? `, ${newer.length} of a newer version` : ''}`,
      ...(data
        ? describeData(data)
        : ['Run affkit migrate, or start the server. Then this command shows the rest.']),
    ],
  };
}

function describeData({
  tables,
  backlog,
  deadLetters,
  programs,
}: NonNullable<ServiceStatus['data']>): string[] {
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  const largest = tables.slice(0, LARGEST_TABLES).map(({ table, bytes }) => `${table} ${formatBytes(bytes)}`);
  const { outbox, webhooks } = backlog;
  return [
    `Tables: ${formatBytes(total)}, the largest are ${largest.join(', ')}`,
    `Outbox: ${outbox.waiting} waiting${outbox.oldestAt === null ? '' : ` since ${timeOf(outbox.oldestAt)}`}, ${outbox.failing} failing${outbox.lastError === null ? '' : ` (${outbox.lastError})`}`,
    `Jobs: ${backlog.queuedEmails} emails, ${backlog.unsealedLedgerEntries} unsealed ledger entries, ${backlog.payments} payments and ${backlog.payoutTransfers} payouts in progress`,
    `Webhooks: ${webhooks.queued} queued, ${webhooks.failing} failing, ${webhooks.blockedEndpoints} blocked and ${webhooks.pausedEndpoints} paused endpoints`,
    `Dead letters: ${deadLetters.emails} emails, ${deadLetters.webhooks} webhooks, ${deadLetters.payoutTransfers} payouts with an unknown outcome`,
    ...programs.map(
      ({ id, name, lastAt, recent }) =>
        `Program ${id} (${name}): last click ${timeOf(lastAt.click)}, lead ${timeOf(lastAt.lead)}, sale ${timeOf(lastAt.sale)}; in 24 hours ${recent.click} clicks, ${recent.lead} leads, ${recent.sale} sales`,
    ),
  ];
}

const isoOrNull = (time: number | null) => (time === null ? null : new Date(time).toISOString());
const timeOf = (time: number | null) => isoOrNull(time) ?? 'never';
