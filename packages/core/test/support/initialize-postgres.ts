import { execFile, execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The operating system user that runs a server process. Without ids, it is the user of this process. */
export interface OsUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** The files of a server that has not started yet. */
interface ServerFiles {
  /** The data folder. It exists and is empty. */
  readonly data: string;
  /** The file for the password of the superuser `postgres`. */
  readonly passwordFile: string;
}

const ARGUMENTS = [
  '--username=postgres',
  '--auth=scram-sha-256',
  // The ICU locale sorts texts by the rules of a language, as most servers do. SQLite, in contrast, sorts by bytes.
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=icu',
  '--icu-locale=en-US',
  '--set=scram_iterations=1',
  '--no-sync',
];

const CACHE = join(import.meta.dirname, '../../../../node_modules/.cache/affkit-postgres');

/**
 * Creates the files of a new server. The first call keeps a copy for later calls and test runs, because `initdb` takes
 * a second of CPU time.
 * @param initdb the program; `user` can execute it
 * @param installed a path that changes with the version of Postgres
 * @param user the user who will own the files
 */
export async function initializePostgres(
  initdb: string,
  installed: string,
  files: ServerFiles,
  user: OsUser,
): Promise<void> {
  const version = createHash('sha256')
    .update(JSON.stringify([realpathSync(installed), ARGUMENTS]))
    .digest('hex');
  const copy = join(CACHE, version);
  if (existsSync(copy)) {
    copyFiles(filesIn(copy), files);
    own(files, user);
    return;
  }
  writeFileSync(files.passwordFile, randomBytes(16).toString('hex'), { mode: 0o600 });
  own(files, user);
  const paths = [`--pgdata=${files.data}`, `--pwfile=${files.passwordFile}`];
  await promisify(execFile)(initdb, [...paths, ...ARGUMENTS], { ...user, cwd: files.data });
  mkdirSync(CACHE, { recursive: true });
  const unfinished = mkdtempSync(join(CACHE, 'unfinished-'));
  copyFiles(files, filesIn(unfinished));
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true });
    // If there is a copy now, another process was faster.
    if (!existsSync(copy)) throw error;
  }
}

function filesIn(folder: string): ServerFiles {
  return { data: join(folder, 'data'), passwordFile: join(folder, 'password') };
}

function copyFiles(from: ServerFiles, to: ServerFiles): void {
  cpSync(from.data, to.data, { recursive: true });
  cpSync(from.passwordFile, to.passwordFile);
}

/** Makes the user the owner of the files. */
export function own({ data, passwordFile }: ServerFiles, { uid, gid }: OsUser): void {
  if (uid === undefined || gid === undefined) return;
  chownSync(passwordFile, uid, gid);
  execFileSync('chown', ['-R', `${uid}:${gid}`, data]);
}
