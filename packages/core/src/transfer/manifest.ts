import { z } from 'zod';

/** The version of the format. An import rejects versions that it does not know. */
const TRANSFER_FORMAT = 1;

const cell = z.union([z.string(), z.int(), z.null()]);
const id = z.int().positive();

const exportedFile = z.object({
  /** The table of the rows. */
  table: z.string(),
  file: z.string(),
  rows: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
  /** The SHA-256 of the file. */
  sha256: z.string(),
  /** The digest of the rows, without the columns whose values may differ after an import; see `RowDigest`. */
  digest: z.string(),
  /** The lowest and highest id of the rows. Null if there are no rows, or if the rows have no ids. */
  ids: z.object({ first: id, last: id }).nullable(),
});

/** Describes the export of a program. The manifest is written last, so an export with a manifest is complete. */
export const transferManifest = z.object({
  format: z.literal(TRANSFER_FORMAT),
  kind: z.literal('affkit-program'),
  /** A random id, so that an export is imported only once, and an interrupted import of it can continue. */
  export_id: z.string(),
  installation: z.string(),
  created_at: z.string(),
  program: z.record(z.string(), cell),
  /** Clicks from before this time may be missing, because retention has removed them. */
  clicks_complete_from: z.string().nullable(),
  /**
   * The head of the ledger's hash chain. The hashes are computed from row ids, which an import may change. The
   * chain of the imported program can therefore have other hashes.
   */
  chain: z.object({ position: z.int().nonnegative(), hash: z.string() }),
  /** The sums of the partners' balances, one entry per currency. */
  balances: z.array(z.object({ currency: z.string(), partners: z.int(), balance_cents: z.int() })),
  files: z.array(exportedFile),
});

export type TransferManifest = z.output<typeof transferManifest>;
export type ExportedFile = TransferManifest['files'][number];
export { TRANSFER_FORMAT };
