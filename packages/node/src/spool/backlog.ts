import type { Entry } from './entry.ts';

/**
 * The entries that are to be sent, and which of them may be sent now: those that no earlier entry with a common
 * key stands before. Pure bookkeeping, without files or clocks.
 */
export class Backlog {
  readonly #entries = new Map<string, Entry>();
  readonly #lines = new Map<string, Entry[]>();
  /** What may be sent, the longest waiting first. */
  readonly #ready = new Map<string, Entry>();
  readonly #taken = new Set<string>();
  readonly #resting = new Set<string>();
  readonly #asides = new Set<string>();

  get size(): number {
    return this.#entries.size;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  /** One that rests isn't given yet, but those behind it wait for it. */
  add(entry: Entry, isResting = false): void {
    if (this.#entries.has(entry.name)) return;
    this.#entries.set(entry.name, entry);
    if (isResting) this.#resting.add(entry.name);
    for (const key of entry.keys) {
      const line = this.#lines.get(key) ?? [];
      const after = line.findLastIndex((other) => other.order < entry.order);
      line.splice(after + 1, 0, entry);
      this.#lines.set(key, line);
      // Whoever was first until now may have to wait.
      const second = line[1];
      if (second !== undefined) this.#judge(second);
    }
    this.#judge(entry);
  }

  /** The next entry to send; it is the caller's until `finish` or `putBack`. */
  take(): Entry | undefined {
    const [entry] = this.#ready.values();
    if (entry === undefined) return undefined;
    this.#ready.delete(entry.name);
    this.#taken.add(entry.name);
    return entry;
  }

  isTaken(name: string): boolean {
    return this.#taken.has(name);
  }

  /** It is delivered, refused or gone: those behind it may follow. */
  finish(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#ready.delete(name);
    this.#taken.delete(name);
    this.#resting.delete(name);
    this.#asides.delete(name);
    this.#leaveLines(entry);
  }

  /** It could not be sent. While it rests it isn't given again, and those behind it wait. */
  putBack(entry: Entry, isResting: boolean): void {
    this.#taken.delete(entry.name);
    if (isResting) this.#resting.add(entry.name);
    this.#judge(entry);
  }

  /** Its rest is over. */
  wake(name: string): void {
    this.#resting.delete(name);
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#judge(entry);
  }

  /** Nobody waits for it any longer. */
  stepAside(entry: Entry): void {
    if (!this.#entries.has(entry.name) || this.#asides.has(entry.name)) return;
    this.#asides.add(entry.name);
    this.#leaveLines(entry);
  }

  #leaveLines(entry: Entry): void {
    for (const key of entry.keys) {
      const line = this.#lines.get(key);
      const at = line?.indexOf(entry) ?? -1;
      if (line === undefined || at === -1) continue;
      line.splice(at, 1);
      const [first] = line;
      if (first === undefined) this.#lines.delete(key);
      else this.#judge(first);
    }
  }

  #judge(entry: Entry): void {
    const isFree =
      this.#entries.has(entry.name) &&
      !this.#taken.has(entry.name) &&
      !this.#resting.has(entry.name) &&
      (this.#asides.has(entry.name) || entry.keys.every((key) => this.#lines.get(key)?.[0] === entry));
    if (!isFree) this.#ready.delete(entry.name);
    else if (!this.#ready.has(entry.name)) this.#ready.set(entry.name, entry);
  }
}
