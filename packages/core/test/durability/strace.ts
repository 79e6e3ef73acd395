import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const TRACER = 'strace';
const INSTALLER = '/usr/bin/apt-get';

/** A system call of one thread, in the order in which that thread made them. */
export interface SystemCall {
  readonly name: string;
  /** The file behind the descriptor. */
  readonly file: string;
  /** The rest of the line: other arguments and the result. */
  readonly rest: string;
}

/** The command line that traces a process's writes and syncs into `log`. Installs the tracer where it may. */
export function tracing(log: string): string[] {
  if (!canRun()) install();
  if (!canRun()) throw new Error('Counting syncs needs strace (Debian, Ubuntu: apt-get install strace)');
  return [TRACER, '-f', '-y', '-s', '200', '-e', 'trace=write,pwrite64,fsync,fdatasync', '-o', log];
}

/** The calls of a process's main thread. */
export function parseCalls(log: string, processId: number): SystemCall[] {
  const pattern = new RegExp(`^${processId} +(\\w+)\\(\\d+<([^>]*)>(.*)$`);
  return log.split('\n').flatMap((line) => {
    const [, name, file, rest] = pattern.exec(line) ?? [];
    return name === undefined || file === undefined ? [] : [{ name, file, rest: rest ?? '' }];
  });
}

function canRun(): boolean {
  return spawnSync(TRACER, ['-V']).status === 0;
}

function install(): void {
  if (process.getuid?.() !== 0 || !existsSync(INSTALLER)) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync(INSTALLER, ['update'], { env });
  spawnSync(INSTALLER, ['install', '-y', 'strace'], { env });
}
