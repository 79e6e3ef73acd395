import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Received } from './http-client.ts';
import type { Operation } from './operations.ts';
import { findFaults } from './oracles.ts';
import type { RowKind, Tenant } from './tenant.ts';

const OPERATION: Operation = {
  key: 'GET /api/things',
  method: 'GET',
  path: '/api/things',
  access: 'management',
  isCrossOrigin: false,
  isWebhook: false,
  pathKinds: [],
  query: {},
  body: undefined,
  replies: new Map([[200, { mediaType: 'application/json', schema: z.object({ name: z.string() }) }]]),
  errors: new Set(['forbidden']),
  methods: new Set(['GET']),
};
const NO_ROWS = new Proxy({}, { get: () => [] }) as Readonly<Record<RowKind, number[]>>;

function tenant(number: number): Tenant {
  return {
    number,
    workspaceId: number,
    userIds: [],
    rows: NO_ROWS,
    saleIds: [],
    known: {
      codes: [`zq${number}x1zq`],
      clickIds: [],
      customerKeys: [],
      transactionIds: [],
      origins: [],
      slugs: [],
      formTokens: [],
    },
    secrets: [`secret-of-${number}`],
    emails: [],
    productIds: [],
    inviteTokens: [],
    resetCodes: [],
    webhookSecret: '',
    callers: [],
  };
}

function faultsOf(body: object | string, change: Partial<Received> = {}, operation = OPERATION): string[] {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'x-request-id': 'r', 'x-should-retry': 'false' };
  return findFaults({
    operation,
    sent: { method: 'GET', target: '/api/things', headers: {}, body: undefined },
    received: { status: 200, headers, text, ...change },
    caller: tenant(1),
    others: [tenant(2)],
    isOnRoute: true,
  });
}

describe('findFaults', () => {
  it('accepts documented responses, even with texts of another tenant that the caller may know', () => {
    expect(faultsOf({ name: 'zq1x9zq' })).toEqual([]);
    expect(faultsOf({ name: 'zq2x1zq' })).toEqual([]);
    expect(faultsOf({ error: 'Forbidden', code: 'forbidden', request_id: 'r' }, { status: 403 })).toEqual([]);
  });

  it.each([
    ['a field that is not documented', { name: 'x', internal: 1 }, {}],
    ['a body that does not match', { name: 1 }, {}],
    ['a status that is not documented', { name: 'x' }, { status: 202 }],
    [
      'an error code that is not documented',
      { error: 'x', code: 'conflict', request_id: 'r' },
      { status: 409 },
    ],
    [
      'an error code with the wrong status',
      { error: 'x', code: 'forbidden', request_id: 'r' },
      { status: 400 },
    ],
    ['an error without a code', { error: 'x' }, { status: 403 }],
    [
      'an error with the request id of another request',
      { error: 'x', code: 'forbidden', request_id: 's' },
      { status: 403 },
    ],
    ['a 500', { error: 'x', code: 'internal_error', request_id: 'r' }, { status: 500 }],
    ['a stack trace', { name: 'Error: x\n    at run (file:///app/x.js:1:1)' }, {}],
    ['SQL', { name: 'near "x": syntax error in SELECT "id" FROM users' }, {}],
    ['a marker of another tenant', { name: 'about zq2x7zq' }, {}],
    ['a secret of another tenant', { name: 'secret-of-2' }, {}],
    ['a row id of another tenant', { name: 'x', workspace_id: 2 }, {}],
    ['a management key', { name: `affk_${'a'.repeat(36)}` }, {}],
    ['an invitation token', { name: `affi_${'a'.repeat(36)}` }, {}],
  ])('reports %s', (_what, body, change) => {
    expect(faultsOf(body, change)).not.toEqual([]);
  });

  it.each([
    ['GET /api/things', ['The status is 503']],
    ['GET /api/things.csv', []],
  ])('reports a 503 of %s, unless the route is an export', (key, expected) => {
    const error = { error: 'x', code: 'unavailable', request_id: 'r' };
    const headers = { 'x-request-id': 'r', 'x-should-retry': 'true', 'retry-after': '1' };
    const operation = { ...OPERATION, key, errors: new Set(['unavailable'] as const) };
    expect(faultsOf(error, { status: 503, headers }, operation)).toEqual(expected);
  });
});
