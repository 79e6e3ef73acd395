import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

interface ProcessState {
  readonly parent: number;
  readonly isZombie: boolean;
}

const POLL_INTERVAL_MS = 5;

/** Returns the ids of the direct child processes. */
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
 * Kills processes with SIGKILL and waits until they have exited. A separate `kill` command sends the signals. This
 * process can therefore continue to send requests until the killed processes die.
 */
export async function killAll(pids: readonly number[]): Promise<void> {
  await once(spawn('kill', ['-KILL', ...pids.map(String)], { stdio: 'ignore' }), 'exit');
  while (pids.some(isRunning)) await sleep(POLL_INTERVAL_MS);
}

/** Whether a process is running. A zombie counts as exited, because an orphan may never be reaped. */
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
    // The format is "pid (name) state parent …", and the name may contain parentheses.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(parent), isZombie: state === 'Z' };
  } catch {
    return undefined;
  }
}
