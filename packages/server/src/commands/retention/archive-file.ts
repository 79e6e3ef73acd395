import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isoMonth, type Month, type StoredClick } from '@affkit/core';
import { z } from 'zod';
import { ArchiveError, linesOf, onFile, verifyRows, writeJson, writeRows } from '../archive-rows.ts';

/** The version of the format. A reader refuses versions that it does not know. */
const FORMAT = 1;

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  installation: z.string(),
  month: z.string(),
  file: z.string(),
  rows: z.number().int(),
  bytes: z.number().int(),
  sha256: z.string(),
  created_at: z.string(),
  programs: z.array(
    z.object({ program_id: z.number().int(), workspace_id: z.number().int(), rows: z.number().int() }),
  ),
});

/** Describes the archive of a month. The manifest is written last, so an archive with a manifest is complete. */
export type Manifest = z.output<typeof manifestSchema>;

/**
 * Writes the clicks of a month as compressed lines of JSON, and reads the file back.
 * @param check called before the new file replaces an earlier one; throws to keep the earlier file
 * @returns the size and checksum of the file, and the number of its rows
 */
export async function writeArchive(
  folder: string,
  month: Month,
  pages: AsyncIterable<readonly StoredClick[]>,
  check: (rows: number) => Promise<void>,
): Promise<Pick<Manifest, 'file' | 'rows' | 'bytes' | 'sha256'>> {
  const file = `clicks-${isoMonth(month)}.ndjson.zst`;
  return { file, ...(await writeRows(folder, file, pages, check)) };
}

export async function writeManifest(folder: string, month: Month, manifest: Omit<Manifest, 'format'>) {
  await writeJson(manifestPath(folder, month), { format: FORMAT, ...manifest });
}

/**
 * Reads the manifest of a month.
 * @returns null when the folder contains no archive of the month
 * @throws ArchiveError when the manifest is not valid or cannot be read
 */
export async function readManifest(folder: string, month: Month): Promise<Manifest | null> {
  const path = manifestPath(folder, month);
  const text = await onFile(
    path,
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    }),
  );
  if (text === null) return null;
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new ArchiveError(`${path} is not a manifest of format ${FORMAT}`, { cause: error });
  }
}

/** Reads the whole archive. @throws ArchiveError when it does not match its manifest */
export async function verifyArchive(folder: string, manifest: Manifest): Promise<void> {
  await verifyRows(join(folder, manifest.file), manifest);
}

/** Reads the clicks of an archive. Call `verifyArchive` first. */
export async function* readArchive(folder: string, { file }: Manifest): AsyncGenerator<StoredClick> {
  for await (const line of linesOf(join(folder, file))) yield JSON.parse(line) as StoredClick;
}

function manifestPath(folder: string, month: Month): string {
  return join(folder, `clicks-${isoMonth(month)}.json`);
}
