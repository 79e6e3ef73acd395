import type { Directory } from './directory.ts';

/** Counts the events in `dead/`. Other processes and operators also add and remove files there. */
export class DeadLetterCount {
  readonly #directory: Pick<Directory, 'listDead'>;
  #names = new Set<string>();
  /** Names added since the current refresh began. The listing of this refresh may miss them. */
  readonly #added = new Set<string>();

  constructor(directory: Pick<Directory, 'listDead'>) {
    this.#directory = directory;
  }

  get value(): number {
    return this.#names.size;
  }

  /** Counts an event that this process moved to `dead/`. */
  noteAdded(name: string): void {
    this.#added.add(name);
    this.#names.add(name);
  }

  /** Counts the events again by listing the folder. */
  async refresh(): Promise<void> {
    this.#added.clear();
    const names = await this.#directory.listDead();
    this.#names = new Set([...names, ...this.#added]);
  }
}
