import { createSecretKey } from 'node:crypto';
import { SCOPES } from '@affkit/protocol';
import { describe, expect, test } from 'vitest';
import type { Actor } from './actor.ts';
import { readCredential } from './credential.ts';
import { decideLogin, deviceSubject, FAILURE_WINDOW_MS, loginSubject } from './login-limit.ts';
import { hashPassword, isPassword } from './password.ts';
import { isAllowed, isAllowedInProgram, type Permission, roleAllows } from './permission.ts';
import { chooseWorkspace, chooseWorkspaces } from './workspace-choice.ts';

const READS: readonly Permission[] = [
  'program:list',
  'program:read',
  'partner:list',
  'link:list',
  'customer:list',
  'policy:list',
  'commission:list',
  'payout:list',
  'trace:read',
  'dashboard:view',
];
const ALL: readonly Permission[] = [
  ...SCOPES,
  'tracking:read',
  'tracking:list',
  'performance:read',
  'api-key:read',
  'api-key:write',
  'notification:read',
  'notification:write',
  'member:write',
  'audit-log:read',
];

describe('roleAllows', () => {
  test.each([
    ['owner', ALL],
    ['admin', ALL.filter((permission) => permission !== 'member:write' && permission !== 'audit-log:read')],
    [
      'member',
      [...READS, 'tracking:read', 'tracking:list', 'performance:read', 'api-key:read', 'notification:read'],
    ],
    ['viewer', ['program:list', 'program:read', 'dashboard:view', 'tracking:read', 'performance:read']],
  ] as const)('grants the role %s exactly these permissions', (role, expected) => {
    expect(ALL.filter((permission) => roleAllows(role, permission))).toEqual(expected);
  });
});

const key: Extract<Actor, { kind: 'key' }> = {
  kind: 'key',
  keyId: 1,
  workspaceId: 1,
  scopes: ['*'],
  programScope: null,
  creatorRole: 'owner',
};
const user: Extract<Actor, { kind: 'session' }> = {
  kind: 'session',
  sessionId: 1,
  isBrowser: false,
  externalIssuedAt: null,
  user: { id: 1, email: 'a@shop.test', name: 'A' },
  memberships: [
    { workspaceId: 1, role: 'owner' },
    { workspaceId: 2, role: 'viewer' },
  ],
};

describe('management keys', () => {
  test('a management key with the scope * has every scope, but no permission that requires a session', () => {
    expect(isAllowed(key, 1, 'program:delete')).toBe(true);
    expect(ALL.filter((permission) => isAllowed(key, 1, permission))).toEqual([...SCOPES]);
  });

  test("a management key is limited to its workspace, programs, and scopes, and to its creator's permissions", () => {
    const program = { id: 7, workspaceId: 1 };
    expect(isAllowedInProgram({ ...key, programScope: [7] }, program, 'program:read')).toBe(true);
    expect(isAllowedInProgram({ ...key, programScope: [8] }, program, 'program:read')).toBe(false);
    expect(isAllowedInProgram({ ...key, scopes: ['link:list'] }, program, 'program:read')).toBe(false);
    expect(isAllowedInProgram({ ...key, creatorRole: 'viewer' }, program, 'link:list')).toBe(false);
    expect(isAllowedInProgram(key, { id: 7, workspaceId: 2 }, 'program:read')).toBe(false);
  });
});

describe('workspaces of a request', () => {
  test('a write acts on the requested workspace, or else on the only workspace of the caller', () => {
    expect(chooseWorkspace(user, 'program:create', 1)).toBe(1);
    expect(chooseWorkspace(user, 'program:create', 2)).toMatchObject({ code: 'forbidden' });
    expect(chooseWorkspace(user, 'program:create', undefined)).toMatchObject({ code: 'workspace_required' });
    expect(chooseWorkspace(key, 'program:create', undefined)).toBe(1);
    const unknown = { code: 'workspace_not_found' };
    expect(chooseWorkspace(user, 'program:create', 3)).toMatchObject(unknown);
    expect(chooseWorkspace(key, 'program:create', 2)).toMatchObject(unknown);
    const withoutWorkspace = { ...user, memberships: [] };
    expect(chooseWorkspace(withoutWorkspace, 'program:create', undefined)).toMatchObject({
      code: 'forbidden',
    });
  });

  test('if no workspace is requested, a list covers every workspace in which the caller has the permission', () => {
    expect(chooseWorkspaces(user, 'partner:list', undefined)).toEqual([1]);
    expect(chooseWorkspaces(user, 'partner:list', 2)).toMatchObject({ code: 'forbidden' });
    expect(chooseWorkspaces(user, 'program:list', 3)).toMatchObject({ code: 'workspace_not_found' });
    expect(chooseWorkspaces({ ...user, memberships: [] }, 'program:list', undefined)).toEqual([]);
    const viewer = { ...user, memberships: [{ workspaceId: 2, role: 'viewer' as const }] };
    expect(chooseWorkspaces(viewer, 'partner:list', undefined)).toMatchObject({ code: 'forbidden' });
  });
});

test.each([
  [undefined, { kind: 'none' }],
  ['', { kind: 'none' }],
  ['Bearer', { kind: 'empty' }],
  ['Bearer  ', { kind: 'empty' }],
  ['bearer aff_a', { kind: 'none' }],
  ['Bearer  aff_a ', { kind: 'trackingToken', text: 'aff_a' }],
  ['Bearer affk_a', { kind: 'managementKey', text: 'affk_a' }],
  ['Bearer a.b.c', { kind: 'jwt', text: 'a.b.c' }],
  ['a.b.c', { kind: 'jwt', text: 'a.b.c' }],
  ['Bearer what', { kind: 'unknown', text: 'what' }],
  ['affk_a', { kind: 'none' }],
])('readCredential parses the header %j as %j', (header, expected) => {
  expect(readCredential(header, { bareJwt: true })).toEqual(expected);
});

test('readCredential ignores a bare JWT unless bareJwt is set', () => {
  expect(readCredential('a.b.c', { bareJwt: false })).toEqual({ kind: 'none' });
});

describe('passwords', () => {
  test('a password is hashed by argon2id with a new salt each time', async () => {
    const [first, second] = await Promise.all([hashPassword('Ünlucky\0 1'), hashPassword('Ünlucky\0 1')]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.toBe(second);
    expect(await isPassword(first, 'Ünlucky\0 1')).toBe(true);
    expect(await isPassword(first, 'Ünlucky')).toBe(false);
  });

  test('no password matches when there is no stored hash', async () => {
    expect(await isPassword(null, 'anything')).toBe(false);
  });
});

describe('decideLogin', () => {
  const block = (reachedAt: number | null) => ({ effect: 'block' as const, reachedAt });
  const delay = (reachedAt: number | null) => ({ effect: 'delay' as const, reachedAt });

  test('blocks sign-ins until the failures that reached a limit are no longer in the window', () => {
    expect(decideLogin([block(null), delay(null)], 2000)).toEqual({ kind: 'allowed', delayMs: 0 });
    expect(decideLogin([block(500), block(1000), delay(1400)], 1500)).toEqual({
      kind: 'blocked',
      retryAfterSeconds: 900,
    });
    expect(decideLogin([block(0)], FAILURE_WINDOW_MS)).toEqual({ kind: 'allowed', delayMs: 0 });
  });

  test('delays sign-ins by a second while the failures that reached a delay limit are in the window', () => {
    expect(decideLogin([block(null), delay(0)], 1)).toEqual({ kind: 'allowed', delayMs: 1000 });
    expect(decideLogin([delay(0)], FAILURE_WINDOW_MS)).toEqual({ kind: 'allowed', delayMs: 0 });
  });
});

describe('loginSubject', () => {
  const [one, two] = [createSecretKey('one', 'utf8'), createSecretKey('two', 'utf8')];
  const limitsOf = (ip: string | null) =>
    loginSubject(one, 'a@shop.test', ip).limits.map(({ limit, effect }) => `${effect} ${limit}`);

  test('limits sign-ins per email, per email and IP, per network, and per IPv6 /48; unknown IPs share a limit', () => {
    expect(limitsOf('192.0.2.1')).toEqual(['block 100', 'delay 10', 'block 10', 'block 50']);
    expect(limitsOf('2001:db8::1')).toEqual(['block 100', 'delay 10', 'block 10', 'block 50', 'block 200']);
    expect(limitsOf(null)).toEqual(['block 100', 'delay 10', 'block 500']);
  });

  test('hashes the same text differently for each secret, and for each use as email, IP address, or device', () => {
    const subject = loginSubject(one, 'a@shop.test', '192.0.2.1');
    expect(subject).toEqual(loginSubject(one, 'a@shop.test', '::ffff:192.0.2.1'));
    expect(subject).not.toEqual(loginSubject(two, 'a@shop.test', '192.0.2.1'));
    const hashes = loginSubject(one, '2001:db8::1', '2001:db8::1').keyHashes;
    expect(new Set(hashes).size).toBe(4);
    expect(deviceSubject(one, '2001:db8::1').keyHashes).not.toEqual(expect.arrayContaining([...hashes]));
  });
});
