import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What git knows about files. Both lists are empty outside of a repository, or if git is not installed. */
export interface GitState {
  /** Files with changes that are not committed. */
  readonly uncommitted: readonly string[];
  /** Files that git does not ignore. */
  readonly notIgnored: readonly string[];
}

export async function readGitState(folder: string, paths: readonly string[]): Promise<GitState> {
  if (paths.length === 0) return { uncommitted: [], notIgnored: [] };
  try {
    const changed = await git(folder, 'status', '--porcelain', '-z', '--no-renames', '--', ...paths);
    const prefix = (await git(folder, 'rev-parse', '--show-prefix')).trim();
    const uncommitted = changed
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => entry.slice('XY '.length + prefix.length));
    // `git check-ignore` exits with 1 if git ignores none of the files, so this exit code is not an error.
    const ignored = await git(folder, 'check-ignore', '--', ...paths).catch(() => '');
    const ignoredPaths = new Set(ignored.split('\n'));
    return { uncommitted, notIgnored: paths.filter((path) => !ignoredPaths.has(path)) };
  } catch {
    return { uncommitted: [], notIgnored: [] };
  }
}

async function git(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', ['-C', folder, ...args]);
  return stdout;
}
