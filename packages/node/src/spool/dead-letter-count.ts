import type { Directory } from './directory.ts';

/** How many events lie in `dead`, where other processes put some too and somebody takes some away. */
export class DeadLetterCount {
  readonly #directory: Pick<Directory, 'listDead'>;
  #names = new Set<string>();
  /** Moved there since the look began: its listing may miss them. */
  readonly #buried = new Set<string>();

  constructor(directory: Pick<Directory, 'listDead'>) {
    this.#directory = directory;
  }

  get value(): number {
    return this.#names.size;
  }

  /** It has been moved there by this process. */
  noteBuried(name: string): void {
    this.#buried.add(name);
    this.#names.add(name);
  }

  /** Brings the count in line with the folder. */
  async look(): Promise<void> {
    this.#buried.clear();
    const names = await this.#directory.listDead();
    this.#names = new Set([...names, ...this.#buried]);
  }
}
