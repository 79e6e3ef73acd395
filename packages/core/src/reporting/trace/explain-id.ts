import { isoTime } from '../../domain/calendar.ts';
import { maskText, type RequestExcerpt } from '../../domain/request-excerpt.ts';
import type { Runtime } from '../../runtime.ts';
import { findProgram, listAllPrograms } from '../../storage/programs/programs.ts';
import type { TraceQuery } from '../../storage/reads/timeline.ts';
import { listRefusals } from '../../storage/tracking/refusals.ts';
import { readTrace, type Trace } from './trace.ts';

const MAX_REJECTED_CALLS = 20;
/** JavaScript represents every integer of up to 15 digits exactly. */
const COMMISSION_ID = /^#?\d{1,15}$/;

/** A rejected call whose request contained the id. */
export interface RejectedCallWithId {
  readonly at: string;
  readonly route: string;
  readonly code: string;
  readonly reason: string;
  readonly requestId: string;
  readonly body: RequestExcerpt;
}

/** Everything that is stored about an id in one program. */
export interface Explanation {
  readonly program: { readonly id: number; readonly name: string };
  /** What kind of id it is in this program. Null if only rejected calls contained the id. */
  readonly kind: 'transaction_id' | 'click_id' | 'customer_key' | 'commission_id' | null;
  readonly trace: Trace | null;
  /** The latest rejected calls that contained the id, newest first. */
  readonly rejectedCalls: readonly RejectedCallWithId[];
}

/**
 * Explains what happened to an id. Returns all decisions about its customer, and the rejected calls that
 * contained the id.
 *
 * @param id a click id, customer key, transaction id or commission id
 * @param programId the program to search, or null for all
 * @returns one explanation for each program in which the id was found; null when the program does not exist
 */
export async function explainId(
  runtime: Pick<Runtime, 'engine' | 'now'>,
  id: string,
  programId: number | null,
): Promise<Explanation[] | null> {
  const { engine } = runtime;
  const only = programId === null ? null : await findProgram(engine.read, programId);
  if (programId !== null && only === null) return null;
  const explanations: Explanation[] = [];
  for (const program of only ? [only] : await listAllPrograms(engine.read)) {
    const { kind, trace } = await findTrace(id, (query) => readTrace(runtime, program, query, null));
    const { rows } = await listRefusals(
      engine.read,
      program.id,
      { code: undefined, text: maskText(id).toLowerCase() },
      { offset: 0, limit: MAX_REJECTED_CALLS },
      engine.dialect,
    );
    if (trace === null && rows.length === 0) continue;
    explanations.push({
      program: { id: program.id, name: program.name },
      kind,
      trace,
      rejectedCalls: rows.map((row) => ({
        at: isoTime(row.refused_at),
        route: row.route,
        code: row.code,
        reason: row.reason,
        requestId: row.request_id,
        body: JSON.parse(row.body) as RequestExcerpt,
      })),
    });
  }
  return explanations;
}

/** Tries the possible meanings of the id, one after another. */
async function findTrace(
  id: string,
  read: (query: TraceQuery) => Promise<Trace | null>,
): Promise<Pick<Explanation, 'kind' | 'trace'>> {
  for (const { kind, query } of meaningsOf(id)) {
    const trace = await read(query);
    if (trace) return { kind, trace };
  }
  return { kind: null, trace: null };
}

function meaningsOf(id: string): { kind: NonNullable<Explanation['kind']>; query: TraceQuery }[] {
  const commission = {
    kind: 'commission_id' as const,
    query: { commissionId: Number(id.replace('#', '')) },
  };
  if (id.startsWith('#') && COMMISSION_ID.test(id)) return [commission];
  if (id.startsWith('clk_')) return [{ kind: 'click_id', query: { clickId: id } }];
  return [
    { kind: 'transaction_id', query: { transactionId: id } },
    { kind: 'customer_key', query: { customerKey: id } },
    ...(COMMISSION_ID.test(id) ? [commission] : []),
  ];
}
