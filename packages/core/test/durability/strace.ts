import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const STRACE = 'strace';
const APT_GET = '/usr/bin/apt-get';
/** Runs strace as a detached grandchild, follows all threads and child processes, and writes no output. */
const DETACHED = ['-D', '-f', '-qq', '-o', '/dev/null'];
/** Does not slow down untraced system calls. With this option, strace cannot detach from the process. */
const TRACED_CALLS_ONLY = ['--seccomp-bpf'];
/** Lets a signal end strace between two system calls. */
const INTERRUPTIBLE = ['-I', '2'];

/** The start or the end of a system call, of any thread. Lists of calls are in chronological order. */
export interface SystemCall {
  readonly name: string;
  readonly phase: 'start' | 'end';
  /** Path of the file descriptor. */
  readonly file: string;
  /** The other arguments, as strace prints them. */
  readonly rest: string;
}

/** Returns a command prefix that traces the writes and syncs of a process into the file `log`. */
export function straceCommand(log: string): string[] {
  return [findStrace(), '-f', '-y', '-s', '200', '-e', 'trace=write,pwrite64,fsync,fdatasync', '-o', log];
}

/**
 * Returns a command prefix that injects a fault into the disk syncs of a process. The process keeps its
 * process id.
 * @param fault in the syntax of strace's `inject`, such as `error=EIO:when=3`; strace counts per thread
 */
export function withDiskFault(fault: string): string[] {
  const calls = 'fsync,fdatasync';
  return [
    findStrace(),
    ...DETACHED,
    ...TRACED_CALLS_ONLY,
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:${fault}`,
  ];
}

/**
 * Returns a command prefix that simulates a full disk for a process and its children. Each of these processes
 * can write to `files` the given number of times. Later writes fail with ENOSPC until `freeDiskSpace` is called.
 */
export function withFullDisk(files: readonly string[], writes: number): string[] {
  const calls = 'write,pwrite64,pwritev,fallocate';
  const inject = `inject=${calls}:error=ENOSPC:when=${writes + 1}+`;
  const paths = files.flatMap((file) => ['-P', file]);
  return [findStrace(), ...DETACHED, ...INTERRUPTIBLE, '-e', `trace=${calls}`, '-e', inject, ...paths];
}

/** Ends the simulated full disk: stops the strace of a process, but not the process itself. */
export function freeDiskSpace(pid: number): void {
  const tracer = /^TracerPid:\t([1-9]\d*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (tracer === undefined) throw new Error(`Process ${pid} is not traced`);
  process.kill(Number(tracer));
}

/** Installs strace if it is missing and this process may do so. */
function findStrace(): string {
  if (!canRun()) install();
  if (!canRun()) {
    throw new Error('The tests of disk faults require strace. On Debian or Ubuntu: apt-get install strace');
  }
  return STRACE;
}

const START = /^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$/;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>/;

/**
 * Parses the trace of a process. Calls of other threads can appear between the start and the end of a call.
 */
export function parseCalls(log: string): SystemCall[] {
  const open = new Map<string, Omit<SystemCall, 'phase'>>();
  return log.split('\n').flatMap((line): SystemCall[] => {
    const [, thread, name, file, rest = ''] = START.exec(line) ?? [];
    if (thread !== undefined && name !== undefined && file !== undefined) {
      const call = { name, file, rest };
      if (!line.endsWith('<unfinished ...>')) {
        return [
          { ...call, phase: 'start' },
          { ...call, phase: 'end' },
        ];
      }
      open.set(`${thread} ${name}`, call);
      return [{ ...call, phase: 'start' }];
    }
    const [, resumedThread, resumedName] = RESUMED.exec(line) ?? [];
    const call = open.get(`${resumedThread} ${resumedName}`);
    return call ? [{ ...call, phase: 'end' }] : [];
  });
}

function canRun(): boolean {
  return spawnSync(STRACE, ['-V']).status === 0;
}

function install(): void {
  if (process.getuid?.() !== 0 || !existsSync(APT_GET)) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync(APT_GET, ['update'], { env });
  spawnSync(APT_GET, ['install', '-y', 'strace'], { env });
}
