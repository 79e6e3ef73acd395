import { lowerAscii } from '../domain/lower-ascii.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { rollbackWhen } from '../storage/database/rollback-when.ts';
import { type Credit, creditPartners } from '../storage/money/ledger.ts';
import { findEnrolledPartnerByEmail } from '../storage/programs/partners.ts';
import type { HistoryScope } from './history-scope.ts';
import type { PastCustomer, PastRecord, PastRecordOutcome, RecordBatch } from './past-records.ts';

interface EarlierRecord {
  readonly record: PastRecord;
  /** The number of records that were added before this one. */
  readonly position: number;
}

/** The sum that earlier batches add to the balance of a partner. */
interface EarlierCredit {
  readonly email: string;
  readonly currency: string;
  readonly cents: number;
}

/**
 * Returns a function that records each batch in a transaction, and rolls it back. Other work of the workspace
 * can run between two batches. The outcomes are the same as in an import: if a batch depends on records of
 * earlier batches, its transaction first records these again.
 */
export function recordInDryRun(
  scope: HistoryScope,
  recordIn: (tx: Transaction, records: readonly PastRecord[]) => Promise<PastRecordOutcome[]>,
): RecordBatch {
  const { runtime, program } = scope;
  const earlier = new EarlierRecords(scope.source);
  return async (records) => {
    const outcomes = await rollbackWhen(
      (work: (tx: Transaction) => Promise<PastRecordOutcome[]>) =>
        runtime.engine.write(program.workspaceId, work),
      async (tx) => {
        await recordIn(tx, earlier.neededBy(records));
        await addToBalances(tx, scope, earlier.creditsOf(records));
        return await recordIn(tx, records);
      },
      () => true,
    );
    for (const [index, record] of records.entries()) earlier.add(record, outcomes[index]);
    return outcomes;
  };
}

async function addToBalances(
  tx: Transaction,
  { runtime, program }: HistoryScope,
  earlierCredits: readonly EarlierCredit[],
): Promise<void> {
  const at = runtime.now();
  const credits: Credit[] = [];
  for (const { email, currency, cents } of earlierCredits) {
    const partner = await findEnrolledPartnerByEmail(tx.db, program, email);
    if (partner === null) continue;
    const subject = { programId: program.id, partnerId: partner.id, currency, at };
    credits.push({ subject, kind: 'commission', amountCents: cents });
  }
  await creditPartners(tx, credits);
}

/** The records of earlier batches that an import would have stored, and their effect on balances. */
class EarlierRecords {
  readonly #source: string;
  /**
   * The records by name. A name identifies a row that a record would store, by the same value as a lookup in the
   * database. For example, a link is identified by its code.
   */
  readonly #byName = new Map<string, EarlierRecord>();
  #count = 0;
  readonly #credits = new Map<string, EarlierCredit>();

  constructor(source: string) {
    this.#source = source;
  }

  add(record: PastRecord, outcome: PastRecordOutcome | undefined): void {
    if (outcome?.outcome !== 'imported') return;
    if (record.kind !== 'commission') {
      this.#addNames(record);
      return;
    }
    const { commission } = record;
    if (outcome.hasNewCustomer) this.#addNames({ kind: 'customer', customer: commission.customer });
    // The commission is recorded again as rejected, so that it creates no payout and does not change the
    // balance. `creditsOf` returns its effect on the balance instead.
    this.#addNames({ kind: 'commission', commission: { ...commission, state: 'rejected' } });
    if (commission.state !== 'pending' && commission.state !== 'approved') return;
    const { partnerEmail: email, currency, commissionCents } = commission;
    const key = `${currency} ${email}`;
    const cents = (this.#credits.get(key)?.cents ?? 0) + commissionCents;
    this.#credits.set(key, { email, currency, cents });
  }

  /** Returns the records on which the given records depend, in the order of the import. */
  neededBy(records: readonly PastRecord[]): PastRecord[] {
    const needed = new Set<EarlierRecord>();
    const visit = (record: PastRecord) => {
      const { own, referenced } = this.#namesOf(record);
      for (const name of [...referenced, ...own]) {
        const found = this.#byName.get(name);
        if (found === undefined || needed.has(found)) continue;
        needed.add(found);
        visit(found.record);
      }
    };
    for (const record of records) visit(record);
    return [...needed].sort((a, b) => a.position - b.position).map(({ record }) => record);
  }

  /** Returns what earlier batches add to the balances that the given records change. */
  creditsOf(records: readonly PastRecord[]): EarlierCredit[] {
    const keys = records.flatMap((record) =>
      record.kind === 'commission' ? [`${record.commission.currency} ${record.commission.partnerEmail}`] : [],
    );
    return [...new Set(keys)].flatMap((key) => this.#credits.get(key) ?? []);
  }

  #addNames(record: PastRecord): void {
    const stored = { record, position: this.#count++ };
    for (const name of this.#namesOf(record).own) {
      if (!this.#byName.has(name)) this.#byName.set(name, stored);
    }
  }

  /** Returns the names of what a record stores, and the names of what it refers to. */
  #namesOf(record: PastRecord): { readonly own: readonly string[]; readonly referenced: readonly string[] } {
    if (record.kind === 'partner') {
      const { email, codes } = record.partner;
      return {
        own: [partnerName(email), ...codes.map((code) => `code ${lowerAscii(code)}`)],
        referenced: [],
      };
    }
    if (record.kind === 'customer') {
      const { customer } = record;
      return { own: customerNames(customer), referenced: [partnerName(customer.partnerEmail)] };
    }
    const { id, paymentRefs, partnerEmail, customer } = record.commission;
    return {
      own: [`${this.#source}:${id}`, ...paymentRefs].map((ref) => `payment ${ref}`),
      referenced: [partnerName(partnerEmail), partnerName(customer.partnerEmail), ...customerNames(customer)],
    };
  }
}

function partnerName(email: string): string {
  return `partner ${email.toLowerCase()}`;
}

function customerNames({ ref, key }: PastCustomer): string[] {
  return [`customer ${ref}`, ...(key === null ? [] : [`key ${key}`])];
}
