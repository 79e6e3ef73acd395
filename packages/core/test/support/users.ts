import { hash } from '@node-rs/argon2';
import { FAILURE_WINDOW_MS, loginSubject } from '../../src/access/login-limit.ts';
import { openSession, type SessionClient } from '../../src/access/session.ts';
import { signSessionToken } from '../../src/access/session-token.ts';
import type { Runtime } from '../../src/runtime.ts';
import { insertLoginFailure } from '../../src/storage/accounts/login-failures.ts';
import { SERVICE_LANE } from '../../src/storage/accounts/users.ts';

/** A client that is not a browser. */
export const API_CLIENT: SessionClient = { userAgent: '', isBrowser: false };

const hashes = new Map<string, Promise<string>>();

/**
 * Returns the hash of a password. The lowest cost parameters make sign-ins of test users fast, because a password is
 * verified with the parameters of its hash.
 */
export function cachedPasswordHash(password: string): Promise<string> {
  const cached = hashes.get(password) ?? hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
  hashes.set(password, cached);
  return cached;
}

/** Creates a session like a sign-in, but without the slow check of the password. */
export async function createSession(
  runtime: Runtime,
  userId: number,
  isBrowser = false,
): Promise<{ readonly id: number; readonly token: string }> {
  const client = { ...API_CLIENT, isBrowser };
  return await runtime.engine.write(SERVICE_LANE, async (tx) => {
    const { tokenId, expiresAt, renewableUntil } = await openSession(tx, runtime, userId, client);
    const row = tx.db.selectFrom('sessions').select('id').where('token_id', '=', tokenId);
    const { id } = await row.executeTakeFirstOrThrow();
    const token = { id: tokenId, userId, expiresAt: renewableUntil ?? expiresAt };
    return { id, token: await signSessionToken(runtime, token) };
  });
}

/**
 * Stores failed sign-ins directly, because real sign-ins are slow: each hashes the password, and waits a second
 * after ten failures with the same email address.
 */
export async function storeFailedSignIns(
  { engine, secret }: Runtime,
  at: number,
  attempts: readonly { readonly email: string; readonly ip: string | null }[],
): Promise<void> {
  await engine.write(SERVICE_LANE, async (tx) => {
    for (const { email, ip } of attempts) {
      await insertLoginFailure(tx, loginSubject(secret, email, ip), at, at - FAILURE_WINDOW_MS);
    }
  });
}
