import type { Backlog } from './backlog.ts';
import type { Directory } from './directory.ts';
import { type EntryNamer, readEntry } from './entry.ts';

/**
 * A draft (a file in `tmp/`) that is still present after this many sweeps belongs to a dead process. The call for its
 * event never resolved, so the draft can be removed.
 */
const STALE_DRAFT_SWEEPS = 600;

type DirectoryReader = Pick<Directory, 'list' | 'remove'>;

/**
 * Synchronizes the backlog of this process with the folder, where other processes also add and remove files.
 */
export class DirectorySync {
  readonly #directory: DirectoryReader;
  readonly #backlog: Backlog;
  readonly #namer: EntryNamer;
  /** Entries that only the second listing of a sync contained. They are not sent until the next sync. */
  #unconfirmed: ReadonlySet<string> = new Set();
  /** Entries that have left the folder since the current sync began. Its listings may still contain them. */
  readonly #settled = new Set<string>();
  #sweepsByDraft: ReadonlyMap<string, number> = new Map();

  constructor(directory: DirectoryReader, backlog: Backlog, namer: EntryNamer) {
    this.#directory = directory;
    this.#backlog = backlog;
    this.#namer = namer;
  }

  /**
   * Adds new entries to the backlog.
   *
   * @returns the names that are no longer in the folder, and whether another sync is required to confirm new
   * entries
   */
  async sync(): Promise<{ readonly gone: string[]; readonly needsConfirmation: boolean }> {
    const backlog = this.#backlog;
    this.#settled.clear();
    const first = new Set(await this.#directory.list('ready'));
    const hasNewNames = [...first].some((name) => !backlog.has(name));
    // A listing can miss a file that is added while it runs, even if it contains a newer file. The second listing
    // starts after the first has ended, so it contains all files that are older than a file of the first listing.
    // For a file that is only in the second listing, older files may still be missing. Such a file is therefore not
    // sent before the next sync.
    const second = hasNewNames ? new Set(await this.#directory.list('ready')) : first;
    const unconfirmed = new Set<string>();
    for (const name of second) {
      const entry = readEntry(name);
      if (entry === undefined || this.#settled.has(name)) continue;
      const isConfirmed = first.has(name);
      if (!isConfirmed) unconfirmed.add(name);
      else if (this.#unconfirmed.has(name)) backlog.resume(name);
      backlog.add(entry, !isConfirmed);
      this.#namer.follow(name);
    }
    this.#unconfirmed = unconfirmed;
    const gone = backlog.names().filter((name) => !second.has(name) && !backlog.isInFlight(name));
    return { gone, needsConfirmation: unconfirmed.size > 0 };
  }

  /** Records that an entry has left the folder, so that a sync in progress does not add it again. */
  noteSettled(name: string): void {
    this.#settled.add(name);
  }

  /** Removes the drafts of dead processes. */
  async sweepDrafts(): Promise<void> {
    const sweepsByDraft = new Map<string, number>();
    for (const name of await this.#directory.list('tmp')) {
      const sweeps = (this.#sweepsByDraft.get(name) ?? 0) + 1;
      if (sweeps > STALE_DRAFT_SWEEPS) await this.#directory.remove('tmp', name);
      else sweepsByDraft.set(name, sweeps);
    }
    this.#sweepsByDraft = sweepsByDraft;
  }
}
