import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';

/** What all records of an import have in common. */
export interface HistoryScope {
  readonly runtime: Runtime;
  readonly program: ProgramAccount;
  /** The ids that the program had in other installations, if it was imported from there. */
  readonly formerProgramIds: readonly number[];
  /**
   * The affiliate service that the records come from, in lower case. The transaction ids of imported sales
   * begin with this name.
   */
  readonly source: string;
  /** The display name of that service. */
  readonly sourceTitle: string;
}
