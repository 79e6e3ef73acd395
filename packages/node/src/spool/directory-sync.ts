import type { Backlog } from './backlog.ts';
import type { Directory } from './directory.ts';
import { type Namer, readEntry } from './entry.ts';

/** Drafts that stay for so many sweeps are of processes that died; nobody was told that they are kept. */
const DRAFT_SWEEPS = 600;

/** The part of a `Directory` that is looked at. */
type Folders = Pick<Directory, 'list' | 'listDrafts' | 'removeDraft'>;

/** Brings what this process knows in line with what lies in the folder, where others put and remove files too. */
export class DirectorySync {
  readonly #directory: Folders;
  readonly #backlog: Backlog;
  readonly #namer: Namer;
  /** Entries that another look must confirm. */
  #fresh: ReadonlySet<string> = new Set();
  /** Dealt with since the look began: its listings may still show them. */
  readonly #settled = new Set<string>();
  #drafts: ReadonlyMap<string, number> = new Map();

  constructor(directory: Folders, backlog: Backlog, namer: Namer) {
    this.#directory = directory;
    this.#backlog = backlog;
    this.#namer = namer;
  }

  /** Adds what is new. @returns the names that are gone, and whether another look is due */
  async sync(): Promise<{ readonly gone: string[]; readonly isUnsure: boolean }> {
    const backlog = this.#backlog;
    this.#settled.clear();
    const first = new Set(await this.#directory.list());
    const hasNews = [...first].some((name) => !backlog.has(name));
    // A listing may show a file and miss an older one that came during it. A second one shows all that is older than
    // what the first one showed; what only the second one shows waits for a third.
    const second = hasNews ? new Set(await this.#directory.list()) : first;
    const fresh = new Set<string>();
    for (const name of second) {
      const entry = readEntry(name);
      if (entry === undefined || this.#settled.has(name)) continue;
      const isSure = first.has(name);
      if (!isSure) fresh.add(name);
      if (!backlog.has(name)) backlog.add(entry, !isSure);
      else if (isSure && this.#fresh.has(name)) backlog.wake(entry.name);
      this.#namer.follow(name);
    }
    this.#fresh = fresh;
    const gone = backlog.names().filter((name) => !second.has(name) && !backlog.isTaken(name));
    return { gone, isUnsure: fresh.size > 0 };
  }

  /** It is no longer in the folder. */
  noteSettled(name: string): void {
    this.#settled.add(name);
  }

  /** Removes the drafts of processes that died. */
  async sweep(): Promise<void> {
    const drafts = new Map<string, number>();
    for (const name of await this.#directory.listDrafts()) {
      const sweeps = (this.#drafts.get(name) ?? 0) + 1;
      if (sweeps > DRAFT_SWEEPS) await this.#directory.removeDraft(name);
      else drafts.set(name, sweeps);
    }
    this.#drafts = drafts;
  }
}
