import type { Entry } from './entry.ts';

/**
 * The undelivered entries. An entry is "behind" each earlier entry that shares a key with it. An entry is ready to
 * send if it is behind no other entry. This class only holds state in memory; it uses no files and no clocks.
 */
export class Backlog {
  readonly #entries = new Map<string, Entry>();
  /** The entries of each key, in delivery order. */
  readonly #queues = new Map<string, Entry[]>();
  /** The entries that can be sent now, in the order in which they became ready. */
  readonly #ready = new Map<string, Entry>();
  readonly #inFlight = new Set<string>();
  /** Entries that must not be sent yet. They still block the entries behind them. */
  readonly #paused = new Set<string>();
  /** Entries that have left their queues, so that they block no other entry. */
  readonly #nonBlocking = new Set<string>();

  get size(): number {
    return this.#entries.size;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  /** Adds an entry. A paused entry is not sent before `resume`, and blocks the entries behind it until then. */
  add(entry: Entry, isPaused = false): void {
    if (this.#entries.has(entry.name)) return;
    this.#entries.set(entry.name, entry);
    if (isPaused) this.#paused.add(entry.name);
    for (const key of entry.keys) {
      const queue = this.#queues.get(key) ?? [];
      const previous = queue.findLastIndex((other) => other.order < entry.order);
      queue.splice(previous + 1, 0, entry);
      this.#queues.set(key, queue);
      // If the new entry is now first in the queue, it blocks the entry that was first before.
      const second = queue[1];
      if (second !== undefined) this.#updateReady(second);
    }
    this.#updateReady(entry);
  }

  /**
   * Takes the next entry to send, if possible one that is not in `avoided`. The caller must call `finish` or
   * `release` for it.
   */
  take(avoided?: ReadonlyMap<string, unknown>): Entry | undefined {
    let [entry] = this.#ready.values();
    for (const other of this.#ready.values()) {
      if (avoided?.has(other.name)) continue;
      entry = other;
      break;
    }
    if (entry === undefined) return undefined;
    this.#ready.delete(entry.name);
    this.#inFlight.add(entry.name);
    return entry;
  }

  isInFlight(name: string): boolean {
    return this.#inFlight.has(name);
  }

  /**
   * Removes an entry that was delivered or moved to `dead/`, or whose file another process has removed. Unblocks the
   * entries behind it.
   */
  finish(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#ready.delete(name);
    this.#inFlight.delete(name);
    this.#paused.delete(name);
    this.#nonBlocking.delete(name);
    this.#leaveQueues(entry);
  }

  /** Puts back an entry that could not be sent. A paused entry is not sent before `resume`. */
  release(entry: Entry, isPaused: boolean): void {
    this.#inFlight.delete(entry.name);
    if (isPaused) this.#paused.add(entry.name);
    this.#updateReady(entry);
  }

  /** Ends the pause of an entry. */
  resume(name: string): void {
    this.#paused.delete(name);
    const entry = this.#entries.get(name);
    if (entry !== undefined) this.#updateReady(entry);
  }

  /**
   * Whether this entry is sent before an earlier entry with the same key. This happens if the earlier entry is not
   * delivered yet, but no longer blocks other entries.
   */
  hasUndeliveredPredecessor(entry: Entry): boolean {
    return [...this.#nonBlocking].some(
      (name) => name !== entry.name && this.#entries.get(name)?.keys.some((key) => entry.keys.includes(key)),
    );
  }

  /** Stops the entry from blocking the entries behind it. They may then be sent before it. */
  stopBlocking(entry: Entry): void {
    if (!this.#entries.has(entry.name)) return;
    this.#nonBlocking.add(entry.name);
    this.#leaveQueues(entry);
  }

  #leaveQueues(entry: Entry): void {
    for (const key of entry.keys) {
      const queue = this.#queues.get(key);
      if (!queue?.includes(entry)) continue;
      queue.splice(queue.indexOf(entry), 1);
      const [first] = queue;
      if (first === undefined) this.#queues.delete(key);
      else this.#updateReady(first);
    }
  }

  #updateReady(entry: Entry): void {
    const isReady =
      this.#entries.has(entry.name) &&
      !this.#inFlight.has(entry.name) &&
      !this.#paused.has(entry.name) &&
      (this.#nonBlocking.has(entry.name) || entry.keys.every((key) => this.#queues.get(key)?.[0] === entry));
    if (isReady) this.#ready.set(entry.name, entry);
    else this.#ready.delete(entry.name);
  }
}
