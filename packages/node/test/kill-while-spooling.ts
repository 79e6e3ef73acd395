import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const script = join(import.meta.dirname, 'spool-process.ts');

/**
 * Runs `spool-process.ts`, kills it after `count` acknowledged events, and returns all acknowledged events.
 */
export async function killWhileSpooling(count: number, args: readonly string[]): Promise<string[]> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === count) child.kill('SIGKILL');
  }
  const [, signal] = await exited;
  if (signal !== 'SIGKILL') throw new Error('The process exited before it was killed');
  return acknowledged;
}
