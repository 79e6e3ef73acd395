import { isoTime } from '../domain/calendar.ts';
import { initialChainHead, nextChainHead } from '../domain/ledger-chain.ts';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import { hasCitus } from '../storage/database/cluster/tables.ts';
import {
  auditedCommissions,
  auditedPayouts,
  type BalanceDrift,
  countAuditedRows,
  findBalanceDrift,
  findDanglingEntry,
  findStoredHead,
  findUnsealed,
  listTotalBalanceDrifts,
  type PartnerFilter,
  sealedEntries,
} from '../storage/money/ledger-audit.ts';
import { findPartnerById } from '../storage/programs/partners.ts';
import { listProgramIds } from '../storage/programs/programs.ts';
import { findCommissionFault, findPayoutFault, type LedgerFault } from './ledger-faults.ts';

/** The result of `verifyLedger`. The counts include only what was checked before the first fault. */
export interface LedgerReport {
  /** The first difference that was found, in words, or null when there is none. */
  readonly fault: string | null;
  readonly programs: number;
  /** All ledger entries, including unsealed entries. */
  readonly entries: number;
  /** Entries that are not part of the hash chain yet. */
  readonly unsealed: number;
  readonly commissions: number;
  readonly payouts: number;
}

type Snapshot = Runtime['engine']['read'];
type VerifiedCounts = { -readonly [Key in Exclude<keyof LedgerReport, 'fault'>]: number };

interface Verification {
  readonly counts: VerifiedCounts;
  /** Call it after each page of rows. */
  reportProgress(): void;
}

/**
 * Entries are sealed within seconds. If a sealed entry is newer than an unsealed entry by more than this time,
 * the sealing job has skipped the unsealed entry.
 */
const MAX_UNSEALED_MS = 60_000;

/**
 * Verifies the ledger on a snapshot and stops at the first fault. It recomputes the hash chain of each
 * program, and the balances per program and over all programs. It also compares the entries with the
 * commissions, refunds, adjustments and payouts. Rows are read in pages. You can call it while the service
 * writes.
 *
 * @param programId the program to verify, or null for every program
 * @param onProgress receives how much is verified, from 0 to 1. If this callback is passed, the rows are
 * counted first
 */
export async function verifyLedger(
  { engine }: Pick<Runtime, 'engine'>,
  programId: number | null,
  onProgress?: (fraction: number) => void,
): Promise<LedgerReport> {
  const partners: PartnerFilter = programId === null ? 'all' : { programId };
  const { drifts, ...report } = await engine.snapshot(async (db) => {
    const total = onProgress ? await countAuditedRows(db, programId) : 0;
    const counts: VerifiedCounts = { programs: 0, entries: 0, unsealed: 0, commissions: 0, payouts: 0 };
    const reportProgress = () => onProgress?.((counts.entries + counts.commissions + counts.payouts) / total);
    for (const id of programId === null ? await listProgramIds(db) : [programId]) {
      counts.programs += 1;
      const fault = await findProgramFault(db, id, { counts, reportProgress });
      if (fault !== null) return { ...counts, fault: `program ${id}, ${fault}`, drifts: [] };
    }
    return { ...counts, fault: null, drifts: await listTotalBalanceDrifts(db, partners) };
  });
  for (const found of drifts) {
    const balanceDrift = (await hasSeveralServers(engine))
      ? await confirmDrift(engine, found.partner_id)
      : found;
    if (balanceDrift) return { ...report, fault: describeBalanceDrift(balanceDrift, 'over all programs') };
  }
  return report;
}

/**
 * Whether a snapshot may contain only a part of a transaction, because the servers of a Citus cluster commit
 * one after another.
 */
async function hasSeveralServers({ dialect, read }: Runtime['engine']): Promise<boolean> {
  return dialect === 'postgres' && (await hasCitus(read));
}

/**
 * Reads the balances of a partner again while nothing else in its workspace can change balances. On a Citus
 * cluster, the balance that covers all programs may be on another server than its ledger entries. A snapshot may then
 * contain only one of the two.
 */
async function confirmDrift(engine: Runtime['engine'], partnerId: number): Promise<BalanceDrift | undefined> {
  const partner = await findPartnerById(engine.read, partnerId);
  const [balanceDrift] = await engine.write(partner?.workspaceId ?? SERVICE_LANE, (tx) =>
    listTotalBalanceDrifts(tx.db, { partnerId }),
  );
  return balanceDrift;
}

async function findProgramFault(
  db: Snapshot,
  programId: number,
  verification: Verification,
): Promise<string | null> {
  return (
    (await findChainFault(db, programId, verification)) ??
    (await findUnsealedFault(db, programId, verification)) ??
    (await findDanglingFault(db, programId)) ??
    (await findBalanceFault(db, programId)) ??
    (await findRowFault(db, programId, verification))
  );
}

async function findChainFault(
  db: Snapshot,
  programId: number,
  { counts, reportProgress }: Verification,
): Promise<string | null> {
  let head = initialChainHead(programId);
  for await (const page of sealedEntries(db, programId)) {
    for (const entry of page) {
      head = nextChainHead(head, entry);
      const subject = `ledger entry ${entry.id}`;
      if (entry.chain_position !== head.position) {
        return describeLedgerFault(subject, {
          what: 'chain_position',
          stored: entry.chain_position,
          expected: head.position,
        });
      }
      if (entry.chain_hash !== head.hash) {
        return describeLedgerFault(subject, {
          what: 'chain_hash',
          stored: entry.chain_hash,
          expected: head.hash,
        });
      }
    }
    counts.entries += page.length;
    reportProgress();
  }
  const stored = await findStoredHead(db, programId);
  const { position, hash } = stored ?? initialChainHead(programId);
  if (position !== head.position) {
    return describeLedgerFault('chain head', { what: 'position', stored: position, expected: head.position });
  }
  return hash === head.hash
    ? null
    : describeLedgerFault('chain head', { what: 'hash', stored: hash, expected: head.hash });
}

/**
 * Looks for an entry that the sealing job skipped. Other unsealed entries are not a fault, because the job
 * may be stopped.
 */
async function findUnsealedFault(
  db: Snapshot,
  programId: number,
  { counts }: Verification,
): Promise<string | null> {
  const { count, oldest, lastSealedAt } = await findUnsealed(db, programId);
  counts.entries += count;
  counts.unsealed += count;
  if (!oldest || lastSealedAt === null || lastSealedAt - oldest.created_at <= MAX_UNSEALED_MS) return null;
  const createdAt = isoTime(oldest.created_at);
  return `ledger entry ${oldest.id}: created at ${createdAt} and still unsealed, although newer entries are sealed`;
}

/** Finds an entry that refers to a row that does not exist or does not match the entry. */
async function findDanglingFault(db: Snapshot, programId: number): Promise<string | null> {
  const dangling = await findDanglingEntry(db, programId);
  if (!dangling) return null;
  const shared =
    dangling.reference === 'payout' || dangling.reference === 'commission'
      ? 'partner and currency'
      : 'commission';
  const expected = `a ${dangling.reference} of the same ${shared}`;
  return describeLedgerFault(`ledger entry ${dangling.id}`, {
    what: `its ${dangling.reference}`,
    stored: dangling.referenced_id,
    expected,
  });
}

async function findBalanceFault(db: Snapshot, programId: number): Promise<string | null> {
  const balanceDrift = await findBalanceDrift(db, programId);
  return balanceDrift && describeBalanceDrift(balanceDrift, 'in the program');
}

async function findRowFault(
  db: Snapshot,
  programId: number,
  { counts, reportProgress }: Verification,
): Promise<string | null> {
  for await (const page of auditedCommissions(db, programId)) {
    for (const commission of page) {
      const fault = findCommissionFault(commission);
      if (fault) return describeLedgerFault(`commission ${commission.id}`, fault);
    }
    counts.commissions += page.length;
    reportProgress();
  }
  for await (const page of auditedPayouts(db, programId)) {
    for (const payout of page) {
      const fault = findPayoutFault(programId, payout);
      if (fault) return describeLedgerFault(`payout ${payout.id}`, fault);
    }
    counts.payouts += page.length;
    reportProgress();
  }
  return null;
}

function describeBalanceDrift(
  { partner_id, currency, stored, expected }: BalanceDrift,
  where: string,
): string {
  return describeLedgerFault(`partner ${partner_id}`, {
    what: `its balance ${where} in ${currency}`,
    stored,
    expected: `${expected} according to its ledger entries`,
  });
}

function describeLedgerFault(subject: string, { what, stored, expected }: LedgerFault): string {
  return `${subject}: ${what} is ${stored}, expected ${expected}`;
}
