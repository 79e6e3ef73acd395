import type { ErrorCode } from '@affkit/protocol';
import { isoDate, isoTime, utcDay } from '../domain/calendar.ts';
import { maskText, type RequestExcerpt } from '../domain/request-excerpt.ts';
import { Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findExistingPrograms, findProgramsOfLinks, insertRefusals } from '../storage/tracking/refusals.ts';
import { loadPublishers, publishEvents } from '../webhooks/publish-events.ts';

export type TrackingRouteName = 'click' | 'lead' | 'sale' | 'refund';

/** A rejected tracking call. */
export interface RefusedCall {
  readonly route: TrackingRouteName;
  /** The id of the program, or the code of one of the program's links. */
  readonly target: { readonly programId: number } | { readonly partnerCode: string };
  readonly hasToken: boolean;
  readonly code: string;
  readonly reason: string;
  readonly requestId: string;
  /** Called only if the rejected call is added to the queue. */
  readonly readBody: () => RequestExcerpt;
}

interface QueuedRefusal extends Omit<RefusedCall, 'readBody'> {
  readonly body: RequestExcerpt;
  readonly at: number;
}

/** The maximum number of rejected calls in the queue. While the queue is full, further calls are dropped. */
const MAX_QUEUED_REFUSALS = 1_000;
/**
 * The maximum number of queued calls for a single program or link, so that a flood of rejected calls for one
 * program does not displace the calls for other programs.
 */
const MAX_QUEUED_REFUSALS_PER_TARGET = 250;
const REFUSAL_BATCH_SIZE = 250;
const REFUSAL_WRITE_INTERVAL_MS = 1_000;

/**
 * Collects rejected tracking calls in memory, and writes them to the database in the background. The log must
 * never delay or fail a reply. A call is therefore dropped when too many calls are waiting, or when its write
 * fails.
 */
export class RefusalLog {
  readonly #runtime: Pick<Runtime, 'engine' | 'now' | 'log'>;
  #queuedRefusals: QueuedRefusal[] = [];
  #refusalsPerTarget = new Map<number | string, number>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(runtime: Pick<Runtime, 'engine' | 'now' | 'log'>) {
    this.#runtime = runtime;
  }

  /** Adds a call to the queue. Never waits. */
  add(call: RefusedCall): void {
    const target = targetKey(call);
    const refusalsOfTarget = this.#refusalsPerTarget.get(target) ?? 0;
    const isFull =
      this.#queuedRefusals.length >= MAX_QUEUED_REFUSALS ||
      refusalsOfTarget >= MAX_QUEUED_REFUSALS_PER_TARGET;
    if (this.#isClosed || isFull) return;
    this.#refusalsPerTarget.set(target, refusalsOfTarget + 1);
    const { readBody, ...rest } = call;
    this.#queuedRefusals.push({ ...rest, body: readBody(), at: this.#runtime.now() });
    this.#schedule();
  }

  /** Writes the calls that are in the queue now. Never rejects. */
  async flush(): Promise<void> {
    for (
      let left = MAX_QUEUED_REFUSALS;
      left > 0 && (this.#writing || this.#queuedRefusals.length > 0);
      left -= REFUSAL_BATCH_SIZE
    ) {
      await this.#write();
    }
  }

  /** Writes the waiting calls. All later calls are ignored. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    await this.flush();
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer || this.#queuedRefusals.length === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, REFUSAL_WRITE_INTERVAL_MS);
    this.#timer.unref();
  }

  /** Writes one batch, or waits for the current write. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined;
      this.#schedule();
    });
    return this.#writing;
  }

  async #writeBatch(): Promise<void> {
    const { engine, log } = this.#runtime;
    const batch = this.#queuedRefusals.splice(0, REFUSAL_BATCH_SIZE);
    this.#refusalsPerTarget = new Map();
    for (const call of this.#queuedRefusals) {
      const target = targetKey(call);
      this.#refusalsPerTarget.set(target, (this.#refusalsPerTarget.get(target) ?? 0) + 1);
    }
    try {
      const programs = await this.#findPrograms(batch);
      const rows = batch.flatMap((call) => {
        const programId = programs.get(targetKey(call));
        return programId === undefined ? [] : [storedRefusal(programId, call)];
      });
      if (rows.length === 0) return;
      // No lock is needed, because the rows of different processes do not depend on each other.
      await engine.write(
        SERVICE_LANE,
        async (tx) => {
          await insertRefusals(tx, rows);
          await publishFailures(tx, rows);
        },
        () => [],
      );
    } catch (error) {
      // Other requests have already logged that the database is unavailable.
      if (error instanceof Unavailable) return;
      log.warn(
        { err: error, calls: batch.length },
        'could not store rejected tracking calls; they were dropped',
      );
    }
  }

  /** Finds the program of each target. Targets without an existing program are left out. */
  async #findPrograms(batch: readonly QueuedRefusal[]): Promise<ReadonlyMap<number | string, number>> {
    const { read } = this.#runtime.engine;
    const keys = [...new Set(batch.map(targetKey))];
    const ids = keys.filter((key) => typeof key === 'number');
    const codes = keys.filter((key) => typeof key === 'string');
    return new Map<number | string, number>([
      ...(await findExistingPrograms(read, ids)).map((id) => [id, id] as const),
      ...(await findProgramsOfLinks(read, codes)),
    ]);
  }
}

/**
 * The codes that a working integration never gets for calls with its token. The codes for unknown customers
 * are left out, because many shops also report sales that no partner referred.
 */
const FAULT_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_field',
  'invalid_json',
  'body_too_large',
  'lead_identifier_required',
  'transaction_id_required',
  'amount_cents_required',
  'customer_of_other_program',
  'transaction_id_taken',
  'commission_failed',
  'refund_transaction_id_required',
  'invalid_refund_amount',
  'refund_exceeds_sale',
]);

/** Publishes rejected calls that show a fault of the integration, once per program, route, code, and day. */
async function publishFailures(
  tx: Transaction,
  rows: readonly ReturnType<typeof storedRefusal>[],
): Promise<void> {
  const faults = rows.filter((row) => row.has_token === 1 && FAULT_CODES.has(row.code));
  if (faults.length === 0) return;
  const programs = await loadPublishers(
    tx,
    faults.map((row) => row.program_id),
  );
  for (const program of programs) {
    for (const row of faults.filter(({ program_id }) => program_id === program.id)) {
      const data = {
        program_id: row.program_id,
        route: row.route,
        code: row.code,
        message: row.reason,
        request_id: row.request_id,
        rejected_at: isoTime(row.refused_at),
      };
      const dedupeKey = `integration.failing:${row.route}:${row.code}:${isoDate(utcDay(row.refused_at))}`;
      const event = { type: 'integration.failing' as const, data, dedupeKey };
      await publishEvents(tx, [{ program, event }], row.refused_at);
    }
  }
}

function targetKey({ target }: Pick<RefusedCall, 'target'>): number | string {
  return 'programId' in target ? target.programId : target.partnerCode;
}

function storedRefusal(programId: number, refusal: QueuedRefusal) {
  const reason = maskText(refusal.reason);
  const texts = [...Object.values(refusal.body), reason, refusal.requestId];
  return {
    program_id: programId,
    route: refusal.route,
    code: refusal.code,
    reason,
    request_id: refusal.requestId,
    has_token: refusal.hasToken ? (1 as const) : (0 as const),
    body: JSON.stringify(refusal.body),
    search_text: texts.join('\n').toLowerCase(),
    refused_at: refusal.at,
  };
}
