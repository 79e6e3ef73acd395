import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What V8 writes with `--cpu-prof`. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  /** Node that was running at each sample. */
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
  /** In microseconds, by the machine's clock that never goes back. */
  readonly startTime: number;
}

export interface Stretch {
  readonly fromMicros: number;
  readonly toMicros: number;
}

const IDLE = 'idle';
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ['(idle)', IDLE],
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'what has no name'],
]);

/** The clock of profiles. */
export function nowMicros(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/**
 * Where the main thread of a process that has ended has spent a stretch of time.
 * @param folder holds the one profile of the process
 * @returns microseconds by part of the program: a package, a folder of one of ours, Node itself
 */
export function readProfile(folder: string, { fromMicros, toMicros }: Stretch): Map<string, number> {
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) throw new Error(`There is no profile in ${folder}`);
  const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile;
  const parts = partsOf(profile);
  const spent = new Map<string, number>();
  let at = profile.startTime;
  for (const [index, delta] of profile.timeDeltas.entries()) {
    at += delta;
    const part = parts.get(profile.samples[index] ?? 0);
    if (part === undefined || part === IDLE || at < fromMicros || at > toMicros) continue;
    spent.set(part, (spent.get(part) ?? 0) + delta);
  }
  return spent;
}

/** What is written in C++ counts for who calls it. */
function partsOf({ nodes }: Profile): Map<number, string> {
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const partOf = (id: number): string => {
    const node = byId.get(id);
    if (!node) return 'what has no name';
    const { functionName, url } = node.callFrame;
    const special = SPECIAL.get(functionName);
    if (special !== undefined) return special;
    return url === '' ? partOf(callers.get(id) ?? Number.NaN) : partOfFile(url);
  };
  return new Map(nodes.map(({ id }) => [id, partOf(id)]));
}

function partOfFile(url: string): string {
  if (url.startsWith('node:')) return 'Node: HTTP, streams, the event loop';
  const [, own, folder] = /\/packages\/(\w+)\/dist\/(?:(\w+)\/)?/.exec(url) ?? [];
  if (own !== undefined) return folder === undefined ? `@affkit/${own}` : `@affkit/${own}: ${folder}`;
  const [, library] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  return library ?? 'what has no name';
}
