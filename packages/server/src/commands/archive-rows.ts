import { createHash, type Hash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { summarizeError } from '../error-summary.ts';
import { CommandError } from './command-result.ts';

/** Thrown when a file is damaged, incomplete, or not in the expected format. */
export class ArchiveError extends CommandError {
  override readonly name = 'ArchiveError';
}

/**
 * Waits for an operation on a file or folder. Without this function, a failure, such as a full disk, would be reported
 * as a problem of the database.
 * @throws ArchiveError that names the path
 */
export async function onFile<T>(path: string, operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    throw new ArchiveError(`${path} cannot be used: ${summarizeError(error)}`, { cause: error });
  }
}

/** The number of rows, the size, and the hash of a file. */
export interface FileSummary {
  readonly rows: number;
  readonly bytes: number;
  /** The SHA-256 of the file. */
  readonly sha256: string;
}

/**
 * Writes rows as compressed lines of JSON, and then reads the file to verify it.
 * @param check called before the new file replaces an earlier one; throws if the new file must not be used
 * @throws ArchiveError when the file cannot be written
 */
export async function writeRows(
  folder: string,
  file: string,
  pages: AsyncIterable<readonly unknown[]>,
  check?: (rows: number) => Promise<void>,
): Promise<FileSummary> {
  await onFile(folder, mkdir(folder, { recursive: true }));
  const path = join(folder, file);
  let rows = 0;
  async function* toLines() {
    for await (const page of pages) {
      rows += page.length;
      yield page.map((row) => `${JSON.stringify(row)}\n`).join('');
    }
  }
  const written = await writeDurably(
    path,
    (target) => pipeline(Readable.from(toLines()), createZstdCompress(), target),
    check && (() => check(rows)),
  );
  const found = await onFile(path, countRows(path));
  if (found.sha256 !== written.sha256 || found.rows !== rows) {
    throw new ArchiveError(
      `${path} differs from what was written: ${found.rows} instead of ${rows} rows, SHA-256 ${found.sha256}`,
    );
  }
  return { rows, ...written };
}

/** Writes a small JSON file. @throws ArchiveError when the file cannot be written */
export async function writeJson(path: string, value: unknown): Promise<void> {
  const content = `${JSON.stringify(value, null, 2)}\n`;
  await writeDurably(path, (target) => pipeline(Readable.from([content]), target));
}

/** Reads a whole file. @throws ArchiveError when it does not match `expected` */
export async function verifyRows(
  path: string,
  expected: Pick<FileSummary, 'rows' | 'sha256'>,
): Promise<void> {
  const found = await countRows(path).catch((error: unknown) => {
    throw new ArchiveError(`${path} cannot be read`, { cause: error });
  });
  if (found.sha256 !== expected.sha256) {
    throw new ArchiveError(
      `${path} is damaged: its SHA-256 is ${found.sha256}, but its manifest says ${expected.sha256}`,
    );
  }
  if (found.rows !== expected.rows) {
    throw new ArchiveError(`${path} has ${found.rows} rows, but its manifest says ${expected.rows}`);
  }
}

async function countRows(path: string): Promise<{ rows: number; sha256: string }> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const _ of linesOf(path, hash)) rows += 1;
  return { rows, sha256: hash.digest('hex') };
}

/**
 * Reads the lines of a file. Only a line feed ends a line, because texts in JSON may contain other line
 * separators.
 * @param hash receives the bytes of the file
 */
export async function* linesOf(path: string, hash?: Hash): AsyncGenerator<string> {
  const text = createZstdDecompress().setEncoding('utf8');
  const finished = pipeline(createReadStream(path), hashing(hash), text);
  // If a stream fails, the pipeline also destroys `text` with the error, and the loop below throws this error.
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
 * under its final name is therefore complete.
 */
async function writeDurably(
  path: string,
  write: (target: Transform) => Promise<void>,
  check?: () => Promise<void>,
): Promise<{ bytes: number; sha256: string }> {
  await onFile(path, removeAbandoned(path));
  // Two concurrent runs must not write the same file.
  const temporary = `${path}.${randomUUID()}.tmp`;
  const handle = await onFile(path, open(temporary, 'w', 0o600));
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    const target = hashing(hash);
    const stored = (async () => {
      for await (const chunk of target as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        await onFile(path, handle.writeFile(chunk));
      }
    })();
    // If the file cannot be written, both promises reject. Only the first one has the reason.
    for (const result of await Promise.allSettled([stored, write(target)])) {
      if (result.status === 'rejected') throw result.reason;
    }
    await onFile(path, handle.sync());
    await check?.();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await onFile(path, rename(temporary, path));
  await onFile(path, syncFolder(dirname(path)));
  return { bytes, sha256: hash.digest('hex') };
}

/** A temporary file older than this is abandoned, because no run takes this long to write a file. */
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

/** Syncs a folder, so that a rename survives a crash. Does nothing on Windows, which cannot open folders as files. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
