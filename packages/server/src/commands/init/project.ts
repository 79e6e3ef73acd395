import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../command-result.ts';

const manifestSchema = z.object({
  type: z.string().optional(),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

/** What `affkit init` reads from the folder of an app. */
export interface Project {
  readonly folder: string;
  /** The names of all dependencies in `package.json`. */
  readonly dependencies: ReadonlySet<string>;
  readonly isTypeScript: boolean;
  /** Whether `.js` files are CommonJS. */
  readonly isCommonJs: boolean;
  /** The command that installs packages, such as `pnpm add`. */
  readonly installCommand: string;
  has(path: string): boolean;
  /** Returns the content of a file, or null if it does not exist. */
  read(path: string): string | null;
  /** Returns the first of these files that exists, or null. */
  findFirst(...paths: readonly string[]): string | null;
}

const LOCK_FILES: Readonly<Record<string, string>> = {
  'pnpm-lock.yaml': 'pnpm add',
  'yarn.lock': 'yarn add',
  'bun.lock': 'bun add',
};

/** @throws CommandError if `package.json` is not valid */
export function openProject(folder: string): Project {
  const has = (path: string) => existsSync(join(folder, path));
  const read = (path: string) => (has(path) ? readFileSync(join(folder, path), 'utf8') : null);
  const manifest = readManifest(folder, read('package.json'));
  const lockFile = Object.keys(LOCK_FILES).find(has) ?? '';
  return {
    folder,
    dependencies: new Set(Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies })),
    isTypeScript: has('tsconfig.json'),
    isCommonJs: manifest?.type !== 'module',
    installCommand: LOCK_FILES[lockFile] ?? 'npm install',
    has,
    read,
    findFirst: (...paths) => paths.find(has) ?? null,
  };
}

function readManifest(folder: string, text: string | null) {
  if (text === null) return null;
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new CommandError(`${join(folder, 'package.json')} is not a valid package.json`, { cause: error });
  }
}
