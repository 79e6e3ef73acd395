import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The profile that V8 writes with `--cpu-prof`. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
    readonly children?: readonly number[];
  }[];
  /** The id of the running node at each sample. */
  readonly samples: readonly number[];
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[];
  /** Microseconds on the monotonic clock of the machine. */
  readonly startTime: number;
}

/** A time range on the clock of `nowMicros`. */
export interface TimeRange {
  readonly fromMicros: number;
  readonly toMicros: number;
}

const IDLE = 'idle';
const UNATTRIBUTED = 'unattributed';
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ['(idle)', IDLE],
  ['(garbage collector)', 'garbage collection'],
  ['(program)', UNATTRIBUTED],
]);

/** The current time on the clock that V8's profiles use. */
export function nowMicros(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/**
 * Reads where the main thread of an exited process spent its time.
 * @param folder contains the only profile of the process
 * @returns microseconds per part of the program: a package, a folder of an Affkit package, or Node itself
 */
export function readProfile(folder: string, { fromMicros, toMicros }: TimeRange): Map<string, number> {
  const [file] = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  if (file === undefined) throw new Error(`No .cpuprofile file in ${folder}`);
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

/** Maps the id of each node to a part of the program. Native code belongs to the part of its caller. */
function partsOf({ nodes }: Profile): Map<number, string> {
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const partOf = (id: number): string => {
    const node = byId.get(id);
    if (!node) return UNATTRIBUTED;
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
  return library ?? UNATTRIBUTED;
}
