import { createSecretKey } from 'node:crypto';
import { SCOPES } from '@affkit/protocol';
import { describe, expect, test } from 'vitest';
import type { Actor } from './actor.ts';
import { readCredential } from './credential.ts';
import { decideLogin, FAILURE_WINDOW_MS, loginSubject } from './login-limit.ts';
import { hashPassword, isPassword } from './password.ts';
import { isAllowed, isAllowedInProgram, type Permission, roleAllows } from './permission.ts';
import { chooseWorkspace, chooseWorkspaces } from './workspace-choice.ts';

const READS: readonly Permission[] = [
  'program:list',
  'program:read',
  'partner:list',
  'link:list',
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
  'member:write',
  'audit-log:read',
];

describe('a role', () => {
  test.each([
    ['owner', ALL],
    ['admin', ALL.filter((permission) => permission !== 'member:write' && permission !== 'audit-log:read')],
    [
      'member',
      [...READS, 'tracking:read', 'tracking:list', 'performance:read', 'api-key:read', 'notification:read'],
    ],
    ['viewer', ['tracking:read', 'performance:read']],
  ] as const)('%s may exactly this', (role, expected) => {
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
  sessionId: 's',
  outsideIssuedAt: null,
  user: { id: 1, email: 'a@shop.test', name: 'A' },
  memberships: [
    { workspaceId: 1, role: 'owner' },
    { workspaceId: 2, role: 'viewer' },
  ],
};

describe('a key', () => {
  test('with every scope has no right that is not a scope', () => {
    expect(isAllowed(key, 1, 'program:delete')).toBe(true);
    expect(ALL.filter((permission) => isAllowed(key, 1, permission))).toEqual([...SCOPES]);
  });

  test('reaches its workspace, its programs and its scopes, as far as its maker', () => {
    const program = { id: 7, workspaceId: 1 };
    expect(isAllowedInProgram({ ...key, programScope: [7] }, program, 'program:read')).toBe(true);
    expect(isAllowedInProgram({ ...key, programScope: [8] }, program, 'program:read')).toBe(false);
    expect(isAllowedInProgram({ ...key, scopes: ['link:list'] }, program, 'program:read')).toBe(false);
    expect(isAllowedInProgram({ ...key, creatorRole: 'viewer' }, program, 'program:read')).toBe(false);
    expect(isAllowedInProgram(key, { id: 7, workspaceId: 2 }, 'program:read')).toBe(false);
  });
});

describe('the workspace of a call', () => {
  test('is the named one, else the only one', () => {
    expect(chooseWorkspace(user, 'program:create', 1)).toBe(1);
    expect(chooseWorkspace(user, 'program:create', 2)).toMatchObject({ code: 'forbidden' });
    expect(chooseWorkspace(user, 'program:create', undefined)).toMatchObject({ code: 'workspace_required' });
    expect(chooseWorkspace(key, 'program:create', undefined)).toBe(1);
    expect(chooseWorkspace(key, 'program:create', 2)).toMatchObject({ code: 'forbidden' });
    const nobody = { ...user, memberships: [] };
    expect(chooseWorkspace(nobody, 'program:create', undefined)).toMatchObject({ code: 'forbidden' });
  });

  test('is, for a list, each one that may be seen', () => {
    expect(chooseWorkspaces(user, 'program:list', undefined)).toEqual([1]);
    expect(chooseWorkspaces(user, 'program:list', 2)).toMatchObject({ code: 'forbidden' });
    expect(chooseWorkspaces({ ...user, memberships: [] }, 'program:list', undefined)).toEqual([]);
    const viewer = { ...user, memberships: [{ workspaceId: 2, role: 'viewer' as const }] };
    expect(chooseWorkspaces(viewer, 'program:list', undefined)).toMatchObject({ code: 'forbidden' });
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
])('the header %j is read as %j', (header, expected) => {
  expect(readCredential(header, { bareJwt: true })).toEqual(expected);
});

test('a bare JWT is none where only a tracking token counts', () => {
  expect(readCredential('a.b.c', { bareJwt: false })).toEqual({ kind: 'none' });
});

describe('a password', () => {
  test('is the one that was hashed, as argon2id, each time with another salt', async () => {
    const [stored, again] = await Promise.all([hashPassword('Ünlucky\0 1'), hashPassword('Ünlucky\0 1')]);
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(stored).not.toBe(again);
    expect(await isPassword(stored, 'Ünlucky\0 1')).toBe(true);
    expect(await isPassword(stored, 'Ünlucky')).toBe(false);
  });

  test('of nobody is none', async () => {
    expect(await isPassword(null, 'anything')).toBe(false);
  });
});

describe('failed sign-ins', () => {
  const at = (count: number, time: number) => Array<number>(count).fill(time);
  const none = { ofPair: [], ofIp: [], ofEmail: [] };

  test('refuse from the tenth of a pair and the fiftieth of an address on', () => {
    expect(decideLogin({ ...none, ofPair: at(9, 1000) }, 2000)).toEqual({ kind: 'allowed', delayMs: 0 });
    expect(decideLogin({ ...none, ofPair: at(10, 1000) }, 1500)).toEqual({
      kind: 'refused',
      retryAfterSeconds: 900,
    });
    expect(decideLogin({ ...none, ofIp: at(49, 1000) }, 2000)).toEqual({ kind: 'allowed', delayMs: 0 });
    expect(decideLogin({ ...none, ofIp: at(50, 1000) }, 2000)).toMatchObject({ kind: 'refused' });
    expect(decideLogin({ ...none, ofPair: at(10, 0) }, FAILURE_WINDOW_MS)).toMatchObject({ kind: 'allowed' });
  });

  test('of an e-mail alone slow down', () => {
    expect(decideLogin({ ...none, ofEmail: at(9, 0) }, 1)).toEqual({ kind: 'allowed', delayMs: 0 });
    expect(decideLogin({ ...none, ofEmail: at(10, 0) }, 1)).toEqual({ kind: 'allowed', delayMs: 1000 });
  });

  test('are counted under hashes that depend on the secret', () => {
    const [one, two] = [createSecretKey('one', 'utf8'), createSecretKey('two', 'utf8')];
    const subject = loginSubject(one, 'a@shop.test', '192.0.2.1');
    expect(subject).toEqual(loginSubject(one, 'a@shop.test', '::ffff:192.0.2.1'));
    expect(subject).not.toEqual(loginSubject(two, 'a@shop.test', '192.0.2.1'));
    expect(loginSubject(one, 'same', 'same').emailHash).not.toBe(subject.ipHash);
  });
});
