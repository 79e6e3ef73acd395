import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const TRACER = 'strace';
const INSTALLER = '/usr/bin/apt-get';

/** One end of a system call; those of all threads stand in the order in which they happened. */
export interface SystemCall {
  readonly name: string;
  /** A call has ended when its result is there. */
  readonly moment: 'begun' | 'ended';
  /** The file behind the descriptor. */
  readonly file: string;
  /** Other arguments. */
  readonly rest: string;
}

/** The command line that traces a process's writes and syncs into `log`. Installs the tracer where it may. */
export function tracing(log: string): string[] {
  return [findTracer(), '-f', '-y', '-s', '200', '-e', 'trace=write,pwrite64,fsync,fdatasync', '-o', log];
}

/**
 * The command line of a process, which keeps its process id, on a disk with that fault.
 * @param fault as strace's `inject` names it, e.g. `error=EIO:when=3`: counted in each thread
 */
export function onDiskWith(fault: string): string[] {
  const inject = `inject=fdatasync:${fault}`;
  return [findTracer(), '-D', '-f', '-qq', '-e', 'trace=fdatasync', '-e', inject, '-o', '/dev/null'];
}

function findTracer(): string {
  if (!canRun()) install();
  if (!canRun())
    throw new Error('What a disk does is tested by strace (Debian, Ubuntu: apt-get install strace)');
  return TRACER;
}

const BEGUN = /^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>/;

/** The calls of a process and all its threads; another thread's may come between the two ends of one. */
export function parseCalls(log: string): SystemCall[] {
  const open = new Map<string, Omit<SystemCall, 'moment'>>();
  return log.split('\n').flatMap((line): SystemCall[] => {
    const [, thread, name, file, rest = ''] = BEGUN.exec(line) ?? [];
    if (thread !== undefined && name !== undefined && file !== undefined) {
      const call = { name, file, rest };
      if (!line.endsWith('<unfinished ...>')) {
        return [
          { ...call, moment: 'begun' },
          { ...call, moment: 'ended' },
        ];
      }
      open.set(`${thread} ${name}`, call);
      return [{ ...call, moment: 'begun' }];
    }
    const [, resumed, ofCall] = RESUMED.exec(line) ?? [];
    const call = open.get(`${resumed} ${ofCall}`);
    return call ? [{ ...call, moment: 'ended' }] : [];
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
