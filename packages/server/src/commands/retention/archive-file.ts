import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { isoMonth, type Month, type StoredClick } from '@affkit/core';
import { z } from 'zod';

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

/** Describes the archive of a month. It is written last, so an archive with a manifest is complete. */
export type Manifest = z.output<typeof manifestSchema>;

/** An archive that is damaged, incomplete, or not an archive. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/**
 * Writes the clicks of a month as compressed lines of JSON, and reads the file back.
 * @param check called before the file replaces an earlier one; throws if the file may not be used
 * @returns the size and checksum of the file, and the number of its rows
 */
export async function writeArchive(
  folder: string,
  month: Month,
  pages: AsyncIterable<readonly StoredClick[]>,
  check: (rows: number) => Promise<void>,
): Promise<Pick<Manifest, 'file' | 'rows' | 'bytes' | 'sha256'>> {
  await mkdir(folder, { recursive: true });
  const file = `clicks-${isoMonth(month)}.ndjson.zst`;
  const path = join(folder, file);
  let rows = 0;
  async function* toLines() {
    for await (const page of pages) {
      rows += page.length;
      yield page.map((click) => `${JSON.stringify(click)}\n`).join('');
    }
  }
  const written = await writeDurably(
    path,
    (target) => pipeline(Readable.from(toLines()), createZstdCompress(), target),
    () => check(rows),
  );
  const found = await countRows(path);
  if (found.sha256 !== written.sha256 || found.rows !== rows) {
    throw new ArchiveError(
      `${path} differs from what was written: ${found.rows} instead of ${rows} rows, SHA-256 ${found.sha256}`,
    );
  }
  return { file, rows, ...written };
}

export async function writeManifest(folder: string, month: Month, manifest: Omit<Manifest, 'format'>) {
  const content = `${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`;
  await writeDurably(manifestPath(folder, month), (target) => pipeline(Readable.from([content]), target));
}

/**
 * Reads the manifest of a month.
 * @returns null when the folder contains no archive of the month
 * @throws ArchiveError when the manifest is not valid
 */
export async function readManifest(folder: string, month: Month): Promise<Manifest | null> {
  const path = manifestPath(folder, month);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new ArchiveError(`${path} is not a manifest of format ${FORMAT}`, { cause: error });
  }
}

/** Reads the whole archive. @throws ArchiveError when it does not match its manifest */
export async function verifyArchive(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, manifest.file);
  const found = await countRows(path).catch((error: unknown) => {
    throw new ArchiveError(`${path} cannot be read`, { cause: error });
  });
  if (found.sha256 !== manifest.sha256) {
    throw new ArchiveError(
      `${path} is damaged: its SHA-256 is ${found.sha256}, but its manifest says ${manifest.sha256}`,
    );
  }
  if (found.rows !== manifest.rows) {
    throw new ArchiveError(`${path} has ${found.rows} rows, but its manifest says ${manifest.rows}`);
  }
}

/** Reads the clicks of an archive. Call `verifyArchive` first. */
export async function* readArchive(folder: string, { file }: Manifest): AsyncGenerator<StoredClick> {
  for await (const line of linesOf(join(folder, file))) yield JSON.parse(line) as StoredClick;
}

function manifestPath(folder: string, month: Month): string {
  return join(folder, `clicks-${isoMonth(month)}.json`);
}

async function countRows(path: string): Promise<{ rows: number; sha256: string }> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const _ of linesOf(path, hash)) rows += 1;
  return { rows, sha256: hash.digest('hex') };
}

/**
 * Reads the lines of a file. They end only with a line feed: texts in JSON may contain other line separators.
 * @param hash receives the bytes of the file
 */
async function* linesOf(path: string, hash?: Hash): AsyncGenerator<string> {
  const text = createZstdDecompress().setEncoding('utf8');
  const finished = pipeline(createReadStream(path), hashing(hash), text);
  // The error also ends `text`, so the loop below throws it.
  finished.catch(() => {});
  let rest = '';
  for await (const chunk of text as AsyncIterable<string>) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  await finished;
  if (rest !== '') throw new ArchiveError(`${path} does not end with a line feed`);
}

/**
 * Writes a file under a temporary name, and renames it when its content is on the disk. A file that exists
 * under its own name is therefore complete.
 */
async function writeDurably(
  path: string,
  write: (target: Transform) => Promise<void>,
  check?: () => Promise<void>,
): Promise<{ bytes: number; sha256: string }> {
  await removeAbandoned(path);
  // Two runs at once must not write the same file.
  const temporary = `${path}.${randomUUID()}.tmp`;
  const handle = await open(temporary, 'w', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const target = hashing(hash);
    const stored = (async () => {
      for await (const chunk of target as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        await handle.writeFile(chunk);
      }
    })();
    await Promise.all([write(target), stored]);
    await handle.sync();
    await check?.();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
  return { bytes, sha256: hash.digest('hex') };
}

/** No run writes a single file for this long. */
const ABANDONED_AFTER_MS = 86_400_000;

/** Removes temporary files that a killed run has left. */
async function removeAbandoned(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(path)}.`) || !name.endsWith('.tmp')) continue;
    const file = join(folder, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Number.NaN }));
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(file, { force: true });
  }
}

/** Passes bytes on and adds them to the hash. */
function hashing(hash: Hash | undefined): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash?.update(chunk);
      done(null, chunk);
    },
  });
}

/** Makes the new name of a file durable. Windows cannot open folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
