import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { auditBooks } from '../support/books.ts';
import type { LoadPlan } from './load-process.ts';

export interface Load {
  /** One line for each answer that a caller of the process had; the first says `ready` and its process id. */
  readonly lines: readonly string[];
  /** Ends when that many lines have come. Rejects when the process ends before. */
  reached(count: number): Promise<void>;
  /** Ends when the process has ended and all its lines have come; fulfils with how it ended. */
  readonly ended: Promise<string>;
  kill(): void;
}

/** Starts a process that clicks, sells and refunds. @param wrapper a command that runs it, e.g. a tracer */
export function startLoad(plan: LoadPlan, wrapper: readonly string[] = []): Load {
  const script = join(import.meta.dirname, 'load-process.ts');
  const node = [process.execPath, '--conditions=@affkit/source', script, JSON.stringify(plan)];
  const [command = process.execPath, ...args] = [...wrapper, ...node];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const complete = (rest + text).split('\n');
    rest = complete.pop() ?? '';
    lines.push(...complete);
    child.emit('lines');
  });
  const ended = once(child, 'close').then(([code, signal]) => String(signal ?? code));
  return {
    lines,
    ended,
    kill: () => child.kill('SIGKILL'),
    reached: async (count) => {
      while (lines.length < count) {
        const how = await Promise.race([once(child, 'lines').then(() => undefined), ended]);
        if (how !== undefined) throw new Error(`The process ended (${how}) after ${lines.length} answers`);
      }
    },
  };
}

/** What is stored against what was acknowledged: each fault in words. */
export async function findFaults(engine: Engine, lines: readonly string[]): Promise<string[]> {
  const { read } = engine;
  const events = await read.selectFrom('click_events').select('click_id').execute();
  const customers = await read.selectFrom('customers').select('click_id').execute();
  const sales = await read
    .selectFrom('sales')
    .leftJoin('commissions', 'commissions.sale_id', 'sales.id')
    .select(['sales.processor_event_id', 'sales.id', 'commissions.id as commission_id', 'commissions.status'])
    .execute();
  const stored = {
    event: countBy(events, (row) => `click ${row.click_id}`),
    customer: countBy(customers, (row) => `click ${row.click_id}`),
    sale: countBy(sales, (row) => `sale ${row.processor_event_id} ${row.id} ${row.commission_id}`),
    refund: countBy(
      sales.filter((row) => row.status === 'refunded'),
      (row) => `refund ${row.processor_event_id}`,
    ),
  };
  const expected = { click: ['event', 'customer'], sale: ['sale'], refund: ['refund'] } as const;
  const faults = lines.flatMap((line) => {
    const kinds = expected[line.split(' ')[0] as keyof typeof expected] ?? [];
    return kinds.filter((kind) => !stored[kind].has(line)).map((kind) => `no ${kind} of: ${line}`);
  });
  for (const [kind, counts] of Object.entries(stored)) {
    for (const [line, count] of counts) if (count > 1) faults.push(`${count} times the ${kind} of: ${line}`);
  }
  const clicks = await read
    .selectFrom('counters')
    .select((select) => ['subject', select.fn.sum<number>('value').as('value')])
    .where('measure', '=', 'clicks')
    .groupBy('subject')
    .execute();
  for (const { subject, value } of clicks) {
    if (value !== events.length) faults.push(`${subject} counts ${value} clicks of ${events.length}`);
  }
  return [...faults, ...(await auditBooks(engine))];
}

function countBy<R>(rows: readonly R[], name: (row: R) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(name(row), (counts.get(name(row)) ?? 0) + 1);
  return counts;
}
