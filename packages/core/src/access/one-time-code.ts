import { randomBytes } from 'node:crypto';
import { RESET_CODE_PREFIX, SIGN_IN_CODE_PREFIX } from '@affkit/protocol';
import { normalizeEmail } from '../domain/email.ts';
import { hashToken, isWellFormedToken, makeToken } from '../domain/token.ts';
import type { Runtime } from '../runtime.ts';
import { claimOneTimeCode, findOneTimeCode, insertOneTimeCode } from '../storage/accounts/one-time-codes.ts';
import { findUser, findUserByEmail, SERVICE_LANE, type UserWithPassword } from '../storage/accounts/users.ts';
import type { Engine, Transaction } from '../storage/database/engine/engine.ts';

const MINUTE_MS = 60_000;

/**
 * The prefix and the lifetime of each kind of code. The stored hash covers the prefix, so nobody can turn a code
 * into a code of another kind by changing its prefix.
 */
const ONE_TIME_CODE_KINDS = {
  signIn: { prefix: SIGN_IN_CODE_PREFIX, validMs: 10 * MINUTE_MS },
  passwordReset: { prefix: RESET_CODE_PREFIX, validMs: 30 * MINUTE_MS },
} as const;

type CodeKind = keyof typeof ONE_TIME_CODE_KINDS;

/** A code that works once, for one user. Only its hash is stored. */
export interface OneTimeCode {
  readonly code: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Where a code is stored: `affkit.runtime`, or an object with an `engine`. */
export interface CodeContext {
  readonly engine: Engine;
  readonly now?: () => number;
}

/** @returns null when no user has that address */
export async function createOneTimeCode(
  { engine, now = Date.now }: CodeContext,
  kind: CodeKind,
  email: string,
): Promise<OneTimeCode | null> {
  const user = await findUserByEmail(engine.read, normalizeEmail(email));
  if (user === null) return null;
  return await engine.write(SERVICE_LANE, (tx) => issueOneTimeCode(tx, { now, randomBytes }, kind, user.id));
}

/** Creates a code for a user in the transaction. */
export async function issueOneTimeCode(
  tx: Transaction,
  { now, randomBytes }: Pick<Runtime, 'now' | 'randomBytes'>,
  kind: CodeKind,
  userId: number,
): Promise<OneTimeCode> {
  const { prefix, validMs } = ONE_TIME_CODE_KINDS[kind];
  const code = makeToken(prefix, randomBytes);
  const at = now();
  const expiresAt = at + validMs;
  await insertOneTimeCode(tx, { codeHash: hashToken(code), userId, expiresAt, at });
  return { code, expiresAt };
}

/** Whether the text has the form of a code of this kind. Any other text can be rejected without a lookup. */
export function isCodeOf(kind: CodeKind, text: string): boolean {
  return text.startsWith(ONE_TIME_CODE_KINDS[kind].prefix) && isWellFormedToken(text);
}

/**
 * Finds the user of a code. The code remains valid.
 * @returns null for a code that is unknown, expired or used
 */
export async function findUserOfCode(
  { engine, now }: Pick<Runtime, 'engine' | 'now'>,
  code: string,
): Promise<UserWithPassword | null> {
  const userId = await findOneTimeCode(engine.read, hashToken(code), now());
  return userId === null ? null : await findUser(engine.read, userId);
}

/**
 * Finds the user of a code and invalidates the code. If several requests use the code at the same time, only
 * one gets the user; the others get null.
 */
export async function claimUserOfCode(
  tx: Transaction,
  { now }: Pick<Runtime, 'now'>,
  code: string,
): Promise<UserWithPassword | null> {
  const userId = await claimOneTimeCode(tx, hashToken(code), now());
  return userId === null ? null : await findUser(tx.db, userId);
}
