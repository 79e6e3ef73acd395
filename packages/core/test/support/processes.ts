import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface ProcessState {
  readonly parent: number;
  readonly isZombie: boolean;
}

const CHECK_MS = 5;

/** The ids of a process's own children. */
export function listChildren(parent: number): number[] {
  if (!existsSync('/proc/self/stat')) {
    const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    return lines
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid, of]) => (pid && of === parent ? [pid] : []));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => readState(pid)?.parent === parent);
}

/**
 * Kills processes outright and waits until none of them runs any more. Another process does it, so that this one
 * goes on with its load until they die.
 */
export async function killAll(pids: readonly number[]): Promise<void> {
  await once(spawn('kill', ['-KILL', ...pids.map(String)], { stdio: 'ignore' }), 'exit');
  while (pids.some(isRunning)) await sleep(CHECK_MS);
}

/** Nobody may be there to reap an orphan, so a zombie has ended. */
export function isRunning(pid: number): boolean {
  return exists(pid) && !(readState(pid)?.isZombie ?? false);
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function readState(pid: number): ProcessState | undefined {
  try {
    // "pid (name) state parent …": the name may hold anything, even brackets.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(parent), isZombie: state === 'Z' };
  } catch {
    return undefined;
  }
}
