import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const cli = join(import.meta.dirname, '../../../../packages/server/dist/cli.js');

/**
 * Creates a link that works once and signs in a user of the demo.
 * @returns null if the command fails, for example because no user has that email address any more
 */
export async function createSignInLink(
  email: string,
  { affkitUrl, databaseUrl }: { readonly affkitUrl: string; readonly databaseUrl: string },
): Promise<string | null> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, PUBLIC_URL: affkitUrl };
  return promisify(execFile)(process.execPath, [cli, 'sign-in-link', email], { env }).then(
    ({ stdout }) => stdout.split('\n', 1)[0] ?? null,
    () => null,
  );
}
