import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { LoadPlan } from './load-process.ts';

/** A running load process. */
export interface Load {
  /** A line for each acknowledged request. The first line is `ready` and the process id. */
  readonly lines: readonly string[];
  /** Waits until there are `count` lines. @throws if the process exits first */
  waitForLines(count: number): Promise<void>;
  /** Fulfills with the exit code or signal once the process has exited and all its lines have been read. */
  readonly exited: Promise<string>;
  kill(): void;
  /** Writes a line to the standard input of the process. */
  tell(line: string): void;
}

/**
 * Starts a process that sends clicks, sales and refunds.
 * @param wrapper command to run it through, such as strace
 */
export function startLoad(plan: LoadPlan, wrapper: readonly string[] = []): Load {
  return startScript('load-process.ts', plan, wrapper);
}

/** Starts a script of this folder in a process that a test may kill. @param plan passed to the script as JSON */
export function startScript(name: string, plan: object, wrapper: readonly string[] = []): Load {
  const script = join(import.meta.dirname, name);
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
  const exited = once(child, 'close').then(([code, signal]) => String(signal ?? code));
  return {
    lines,
    exited,
    kill: () => child.kill('SIGKILL'),
    tell: (line) => {
      child.stdin.write(`${line}\n`);
    },
    waitForLines: async (count) => {
      while (lines.length < count) {
        const exit = await Promise.race([once(child, 'lines').then(() => undefined), exited]);
        if (exit !== undefined) throw new Error(`The process exited (${exit}) after ${lines.length} lines`);
      }
    },
  };
}

/** Compares the stored rows with the acknowledged requests. @returns a description of each difference */
export async function findInconsistencies(engine: Engine, lines: readonly string[]): Promise<string[]> {
  const { read } = engine;
  const events = await read.selectFrom('click_events').select('click_id').execute();
  const customers = await read.selectFrom('customers').select('click_id').execute();
  const sales = await read
    .selectFrom('sales')
    .leftJoin('commissions', (join) =>
      join
        .onRef('commissions.program_id', '=', 'sales.program_id')
        .onRef('commissions.sale_id', '=', 'sales.id'),
    )
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
  const differences = lines.flatMap((line) => {
    const kinds = expected[line.split(' ')[0] as keyof typeof expected] ?? [];
    return kinds.filter((kind) => !stored[kind].has(line)).map((kind) => `missing ${kind} for: ${line}`);
  });
  for (const [kind, counts] of Object.entries(stored)) {
    for (const [line, count] of counts)
      if (count > 1) differences.push(`${count} ${kind} rows instead of one for: ${line}`);
  }
  const clicks = await read
    .selectFrom('counters')
    .select((select) => ['subject', select.fn.sum<number>('value').as('value')])
    .where('measure', '=', 'clicks')
    .groupBy('subject')
    .execute();
  for (const { subject, value } of clicks) {
    if (value !== events.length)
      differences.push(`counter ${subject} is ${value}, expected ${events.length} clicks`);
  }
  return [...differences, ...(await auditLedger(engine))];
}

function countBy<R>(rows: readonly R[], name: (row: R) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(name(row), (counts.get(name(row)) ?? 0) + 1);
  return counts;
}
