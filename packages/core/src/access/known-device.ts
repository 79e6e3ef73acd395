import { createHmac, timingSafeEqual } from 'node:crypto';
import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { deriveKey } from './derive-key.ts';

/** How long a device remains a known device of the user after a sign-in. Each sign-in restarts this period. */
export const DEVICE_MS: number = 90 * DAY_MS;

/**
 * The maximum number of tokens to check per request. Without this limit, another host of the same domain could
 * set many device cookies, and each request would check all of them.
 */
const MAX_TOKENS = 4;
const DEVICE_ID_BYTES = 12;

type DeviceRuntime = Pick<Runtime, 'secret' | 'now'>;

/** The user who signed in from the device. */
interface DeviceUser {
  readonly id: number;
  readonly passwordHash: string;
}

/**
 * Creates a token that proves a recent sign-in of the user. Its form is `id.time.signature`. The signature
 * covers the password hash, so a new password invalidates all older tokens. A client with a token gets
 * additional attempts to sign in. This is safe, because the client knew the password at the earlier sign-in,
 * and the password has not changed since.
 */
export function makeDeviceToken(
  runtime: DeviceRuntime & Pick<Runtime, 'randomBytes'>,
  user: DeviceUser,
): string {
  const id = Buffer.from(runtime.randomBytes(DEVICE_ID_BYTES)).toString('base64url');
  const signed = `${id}.${runtime.now()}`;
  return `${signed}.${signDevice(runtime, signed, user).toString('base64url')}`;
}

/** Returns the device's id if one of the tokens is valid for this user, or else null. */
export function findKnownDevice(
  runtime: DeviceRuntime,
  tokens: readonly string[],
  user: DeviceUser,
): string | null {
  for (const token of tokens.slice(0, MAX_TOKENS)) {
    const [id = '', time = '', signature = ''] = token.split('.');
    const given = Buffer.from(signature, 'base64url');
    const expected = signDevice(runtime, `${id}.${time}`, user);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) continue;
    if (Number(time) + DEVICE_MS > runtime.now()) return id;
  }
  return null;
}

function signDevice({ secret }: Pick<Runtime, 'secret'>, signed: string, user: DeviceUser): Buffer {
  return createHmac('sha256', deriveKey(secret, 'device'))
    .update(`${signed}.${user.id}.${user.passwordHash}`)
    .digest();
}
