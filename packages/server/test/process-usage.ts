import { readFileSync } from 'node:fs';
import type { ServerProcess } from './server-process.ts';

const TICK_MS = 10;

/** Returns the peak memory of the process. Linux only. */
export function peakMebibytes({ child }: ServerProcess): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/**
 * Runs `work`, such as a request. Returns the CPU time that the process's event loop used during `work`. The
 * event loop was blocked for at most this time, however busy the machine was. Linux only.
 */
export async function eventLoopCpuMs(server: ServerProcess, work: () => Promise<unknown>): Promise<number> {
  const before = mainThreadCpuMs(server);
  await work();
  return mainThreadCpuMs(server) - before;
}

/** Returns the CPU time of the thread with the event loop. Threads that compile or read files do not count. */
function mainThreadCpuMs({ child: { pid } }: ServerProcess): number {
  const text = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
  // The name of the thread, in parentheses, may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
