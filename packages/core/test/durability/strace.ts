import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const TRACER = 'strace';
const INSTALLER = '/usr/bin/apt-get';
/** As a child of nobody, with all threads and children, telling nothing. */
const UNSEEN = ['-D', '-f', '-qq', '-o', '/dev/null'];
/** Other calls take no longer than without. The tracer can't leave such a process alone again. */
const ONLY_AT_THESE_CALLS = ['--seccomp-bpf'];
/** A signal ends it, between two calls. */
const ENDED_BY_SIGNAL = ['-I', '2'];

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
  const calls = 'fsync,fdatasync';
  return [
    findTracer(),
    ...UNSEEN,
    ...ONLY_AT_THESE_CALLS,
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:${fault}`,
  ];
}

/**
 * The command line of a process that has no room in those files, nor have its children: each may write to them so many
 * times, and from then on is told that the disk is full, until `makeRoom`.
 */
export function onFullDisk(files: readonly string[], writes: number): string[] {
  const calls = 'write,pwrite64,pwritev,fallocate';
  const inject = `inject=${calls}:error=ENOSPC:when=${writes + 1}+`;
  const paths = files.flatMap((file) => ['-P', file]);
  return [findTracer(), ...UNSEEN, ...ENDED_BY_SIGNAL, '-e', `trace=${calls}`, '-e', inject, ...paths];
}

/** Ends what the process with that id was started through, and leaves the process itself alone. */
export function makeRoom(pid: number): void {
  const tracer = /^TracerPid:\t([1-9]\d*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (tracer === undefined) throw new Error(`Nobody traces the process ${pid}`);
  process.kill(Number(tracer));
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
