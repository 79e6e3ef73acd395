import { isoTime } from '../domain/calendar.ts';
import { firstHead, nextHead } from '../domain/ledger-chain.ts';
import type { Runtime } from '../runtime.ts';
import {
  auditedCommissions,
  auditedPayouts,
  type BalanceDrift,
  findBalanceDrift,
  findStoredHead,
  findStray,
  findTotalBalanceDrift,
  findUnsealed,
  sealedEntries,
} from '../storage/money/ledger-audit.ts';
import { listProgramIds } from '../storage/programs/programs.ts';
import { type Fault, findCommissionFault, findPayoutFault } from './ledger-faults.ts';

/** What was gone through, and the first difference in a sentence; null where all agrees. */
export interface LedgerReport {
  readonly fault: string | null;
  readonly programs: number;
  readonly entries: number;
  readonly unsealed: number;
  readonly commissions: number;
  readonly payouts: number;
}

type Snapshot = Runtime['engine']['read'];
type Counted = { -readonly [Key in Exclude<keyof LedgerReport, 'fault'>]: number };

/** The job seals every few seconds: an entry that is older than a sealed one by more was left out. */
const MAX_UNSEALED_MS = 60_000;

/**
 * Recomputes, on one snapshot and in pages, all that the ledger stands for: each program's hash chain, the balances in
 * it and over all programs, what its commissions, refunds, corrections and payouts say. Stops at the first difference.
 * It may run beside a service that goes on writing.
 * @param programId null = every program
 */
export function verifyLedger(
  runtime: Pick<Runtime, 'engine'>,
  programId: number | null,
): Promise<LedgerReport> {
  return runtime.engine.snapshot(async (db) => {
    const counted: Counted = { programs: 0, entries: 0, unsealed: 0, commissions: 0, payouts: 0 };
    for (const id of programId === null ? await listProgramIds(db) : [programId]) {
      counted.programs += 1;
      const fault = await findProgramFault(db, id, counted);
      if (fault !== null) return { ...counted, fault: `program ${id}, ${fault}` };
    }
    const drift = await findTotalBalanceDrift(db, programId);
    return { ...counted, fault: drift && describeDrift(drift, 'over all programs') };
  });
}

async function findProgramFault(db: Snapshot, programId: number, counted: Counted): Promise<string | null> {
  return (
    (await findChainFault(db, programId, counted)) ??
    (await findUnsealedFault(db, programId, counted)) ??
    (await findStrayFault(db, programId)) ??
    (await findBalanceFault(db, programId)) ??
    (await findRowFault(db, programId, counted))
  );
}

async function findChainFault(db: Snapshot, programId: number, counted: Counted): Promise<string | null> {
  let head = firstHead(programId);
  for await (const page of sealedEntries(db, programId)) {
    for (const entry of page) {
      head = nextHead(head, entry);
      const subject = `ledger entry ${entry.id}`;
      if (entry.chain_position !== head.position) {
        return describe(subject, {
          what: 'chain_position',
          stored: entry.chain_position,
          due: head.position,
        });
      }
      if (entry.chain_hash !== head.hash) {
        return describe(subject, { what: 'chain_hash', stored: entry.chain_hash, due: head.hash });
      }
    }
    counted.entries += page.length;
  }
  const stored = await findStoredHead(db, programId);
  const { position, hash } = stored ?? firstHead(programId);
  if (position !== head.position) {
    return describe('the head of its chain', { what: 'position', stored: position, due: head.position });
  }
  return hash === head.hash
    ? null
    : describe('the head of its chain', { what: 'hash', stored: hash, due: head.hash });
}

/** What nobody has sealed yet is none, e.g. while the service stands still; what sealing has passed by is one. */
async function findUnsealedFault(db: Snapshot, programId: number, counted: Counted): Promise<string | null> {
  const { count, oldest, lastSealedAt } = await findUnsealed(db, programId);
  counted.entries += count;
  counted.unsealed += count;
  if (!oldest || lastSealedAt === null || lastSealedAt - oldest.created_at <= MAX_UNSEALED_MS) return null;
  const since = isoTime(oldest.created_at);
  return `ledger entry ${oldest.id}: it has stood unsealed since ${since}, while younger entries were sealed`;
}

async function findStrayFault(db: Snapshot, programId: number): Promise<string | null> {
  const stray = await findStray(db, programId);
  if (!stray) return null;
  const due = `one of its own${stray.names === 'payout' || stray.names === 'commission' ? ' partner and currency' : ' commission'}`;
  return describe(`ledger entry ${stray.id}`, { what: `its ${stray.names}`, stored: stray.named, due });
}

async function findBalanceFault(db: Snapshot, programId: number): Promise<string | null> {
  const drift = await findBalanceDrift(db, programId);
  return drift && describeDrift(drift, 'in the program');
}

async function findRowFault(db: Snapshot, programId: number, counted: Counted): Promise<string | null> {
  for await (const page of auditedCommissions(db, programId)) {
    for (const commission of page) {
      const fault = findCommissionFault(commission);
      if (fault) return describe(`commission ${commission.id}`, fault);
    }
    counted.commissions += page.length;
  }
  for await (const page of auditedPayouts(db, programId)) {
    for (const payout of page) {
      const fault = findPayoutFault(programId, payout);
      if (fault) return describe(`payout ${payout.id}`, fault);
    }
    counted.payouts += page.length;
  }
  return null;
}

function describeDrift({ partner_id, currency, stored, due }: BalanceDrift, where: string): string {
  return describe(`partner ${partner_id}`, {
    what: `its balance ${where} in ${currency}`,
    stored,
    due: `${due} by its entries`,
  });
}

function describe(subject: string, { what, stored, due }: Fault): string {
  return `${subject}: ${what} is ${stored ?? 'none'}, it should be ${due ?? 'none'}`;
}
