import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type ProgramExport, type TransferManifest, transferManifest } from '@affkit/core';
import { ArchiveError, linesOf, onFile, verifyRows, writeJson, writeRows } from '../archive-rows.ts';

const MANIFEST_FILE = 'manifest.json';
const ROWS_SUFFIX = '.ndjson.zst';

/**
 * Checks that the folder does not exist, or contains only the files of an unfinished export.
 * @throws ArchiveError if it contains other files or a complete export, or cannot be read
 */
export async function requireUnusedFolder(folder: string): Promise<void> {
  const names = await onFile(
    folder,
    readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
      if (error.code === 'ENOENT') return [];
      throw error;
    }),
  );
  if (names.includes(MANIFEST_FILE))
    throw new ArchiveError(`${folder} contains an export already. Choose another folder`);
  const other = names.find((name) => !isFileOfExport(name));
  if (other !== undefined)
    throw new ArchiveError(`${folder} is not empty: it contains ${other}. Choose another folder`);
}

/** Whether a file can be a leftover of an interrupted export. */
function isFileOfExport(name: string): boolean {
  return name.endsWith(ROWS_SUFFIX) || (name.includes(`${ROWS_SUFFIX}.`) && name.endsWith('.tmp'));
}

export async function writeTable(
  folder: string,
  table: string,
  pages: AsyncIterable<readonly unknown[]>,
): Promise<{ file: string; rows: number; bytes: number; sha256: string }> {
  const file = `${table}${ROWS_SUFFIX}`;
  return { file, ...(await writeRows(folder, file, pages)) };
}

/** Writes the manifest, which completes an export. */
export async function writeTransferManifest(folder: string, manifest: TransferManifest): Promise<void> {
  await writeJson(join(folder, MANIFEST_FILE), manifest);
}

/**
 * Reads the manifest of an export, and verifies the checksums of all files.
 * @throws ArchiveError when the folder does not contain a complete export
 */
export async function openExport(folder: string): Promise<ProgramExport> {
  const manifest = await readManifest(folder);
  const paths = new Map<string, string>();
  for (const { table, file, ...expected } of manifest.files) {
    // The name must not lead out of the folder.
    if (file !== basename(file)) throw new ArchiveError(`${file} is not the name of a file in ${folder}`);
    await verifyRows(join(folder, file), expected);
    paths.set(table, join(folder, file));
  }
  return {
    manifest,
    readRows: async function* (table) {
      const path = paths.get(table);
      if (path === undefined) throw new ArchiveError(`${folder} has no rows of ${table}`);
      for await (const line of linesOf(path)) yield parseLine(path, line);
    },
  };
}

async function readManifest(folder: string): Promise<TransferManifest> {
  const path = join(folder, MANIFEST_FILE);
  const text = await onFile(
    path,
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new ArchiveError(`${folder} does not contain a complete export: ${MANIFEST_FILE} is missing`);
    }),
  );
  try {
    return transferManifest.parse(JSON.parse(text));
  } catch (error) {
    throw new ArchiveError(`${path} is not a manifest that this version of Affkit can read`, {
      cause: error,
    });
  }
}

function parseLine(path: string, line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new ArchiveError(`${path} contains a line that is not valid JSON`, { cause: error });
  }
}
