import * as files from 'node:fs/promises';
import { FileSpool } from './file-spool.ts';
import type { FileSpoolOptions } from './options.ts';
import type { Spool } from './spool.ts';

export type { FileSpoolOptions, SpoolHooks } from './options.ts';

/**
 * Keeps events in files until the server has them. A call resolves as `queued` when its event is written, synced
 * and named, so that it survives a crash of the process and of the machine; one process delivers, another takes
 * over when that dies. Events that share a transaction, a customer, a click or a subscription are sent one after
 * the other: leads before sales before refunds, and else as they were called.
 */
export function fileSpool(options: FileSpoolOptions): Spool {
  return new FileSpool(options, files);
}
