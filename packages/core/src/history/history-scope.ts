import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';

/** What all records of an import have in common. */
export interface HistoryScope {
  readonly runtime: Runtime;
  readonly program: ProgramAccount;
  /** The name of the other service, in lower case. It is a part of transaction ids. */
  readonly source: string;
  /** The display name of the other service. */
  readonly sourceTitle: string;
}
