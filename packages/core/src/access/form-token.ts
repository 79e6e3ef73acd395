import { createHmac, timingSafeEqual } from 'node:crypto';
import { HOUR_MS } from '../domain/calendar.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { deriveKey } from './derive-key.ts';

/** A person takes longer than this to fill in a form, so a faster sender is a bot. */
const MIN_FORM_MS = 3_000;
const MAX_FORM_MS = 24 * HOUR_MS;

type FormRuntime = Pick<Runtime, 'secret' | 'now'>;

/** Returns a signed token that contains the time at which a program's application form was loaded. */
export function signFormToken(runtime: FormRuntime, programId: number): string {
  const issuedAt = runtime.now();
  return `${issuedAt}.${macOf(runtime, programId, issuedAt)}`;
}

/** Rejects a form that was sent too early, too late, or with the token of another program. */
export function checkFormToken(runtime: FormRuntime, programId: number, token: string): Rejection | null {
  const [time = '', mac = ''] = token.split('.', 2);
  const issuedAt = Number(time);
  if (!/^\d{1,15}$/.test(time) || !isEqual(mac, macOf(runtime, programId, issuedAt))) {
    return new Rejection('form_token_invalid');
  }
  const age = runtime.now() - issuedAt;
  if (age > MAX_FORM_MS) return new Rejection('form_token_invalid');
  if (age >= MIN_FORM_MS) return null;
  return new Rejection('form_too_early', undefined, { retryAfterSeconds: (MIN_FORM_MS - age) / 1000 });
}

function macOf({ secret }: FormRuntime, programId: number, issuedAt: number): string {
  const key = deriveKey(secret, 'application-form');
  return createHmac('sha256', key).update(`${programId}:${issuedAt}`).digest('base64url');
}

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
