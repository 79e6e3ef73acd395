import {
  createCustomers,
  sendClicks,
  sendLeadsOf,
  sendReturningClicks,
  sendSales,
} from './conversion-load.ts';
import { cpuTimeOf } from './cpu-time.ts';
import type { RunningServer } from './process.ts';
import type { Figure } from './report.ts';
import type { Program } from './servers.ts';

/** CPU time per event, in microseconds. */
export interface EventCost {
  readonly kind: string;
  readonly nodeMicros: number;
  /** The CPU time of each Postgres server. */
  readonly databaseMicros: readonly number[];
}

/**
 * Measures events that take several statements: clicks of returning visitors, leads, and sales. On a Citus cluster,
 * the transaction of each such event commits in two phases.
 */
export async function measureEvents(
  server: RunningServer,
  databases: readonly { readonly pid: number }[],
  program: Program,
  amount: number,
): Promise<EventCost[]> {
  const visitors = await sendClicks(server, program, amount);
  const customers = await createCustomers(server, [program]);
  const kinds = [
    ['returning click', () => sendReturningClicks(server, program, visitors)],
    ['lead', () => sendLeadsOf(server, program, 'scale', visitors)],
    ['sale', () => sendSales(server, customers, `scale-${program.code}`, amount)],
  ] as const;
  const costs: EventCost[] = [];
  for (const [kind, send] of kinds) {
    const pids = [server.pid, ...databases.map(({ pid }) => pid)];
    const before = pids.map((pid) => cpuTimeOf(pid) ?? Number.NaN);
    await send();
    const [nodeMicros = Number.NaN, ...databaseMicros] = pids.map(
      (pid, index) => (((cpuTimeOf(pid) ?? Number.NaN) - (before[index] ?? 0)) * 1000) / amount,
    );
    costs.push({ kind, nodeMicros, databaseMicros });
  }
  return costs;
}

/** @param name the name of the servers, such as `Citus with 1 worker` */
export function toEventFigures(name: string, costs: readonly EventCost[]): Figure[] {
  return costs.flatMap(({ kind, nodeMicros, databaseMicros }) => {
    const figure = (process: string, micros: number) => ({
      name: `${name}: CPU of ${process} per ${kind}`,
      unit: 'µs',
      rounds: [micros],
    });
    const [first = Number.NaN, ...workers] = databaseMicros;
    if (workers.length === 0) return [figure('Node', nodeMicros), figure('Postgres', first)];
    const sum = workers.reduce((all, micros) => all + micros, 0);
    return [figure('Node', nodeMicros), figure('the coordinator', first), figure('the workers', sum)];
  });
}
