import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;

/**
 * CPU time of a process and its descendants in milliseconds; null on systems without /proc. Other load on the
 * machine hardly changes this value.
 */
export function cpuTimeOf(pid: number): number | null {
  const parents = new Map<number, { parent: number; ticks: number }>();
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return null;
  }
  for (const name of names) {
    const stat = readStat(name);
    if (stat) parents.set(Number(name), stat);
  }
  const isDescendant = (candidate: number): boolean => {
    for (let at: number | undefined = candidate; at !== undefined; at = parents.get(at)?.parent) {
      if (at === pid) return true;
    }
    return false;
  };
  let ticks = 0;
  for (const [candidate, stat] of parents) if (isDescendant(candidate)) ticks += stat.ticks;
  return ticks * TICK_MS;
}

/** Resident memory of a process in bytes; null on systems without /proc. */
export function residentMemoryOf(pid: number): number | null {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

function readStat(pid: string): { parent: number; ticks: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The process name, in parentheses, may contain spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
  } catch {
    return null;
  }
}
