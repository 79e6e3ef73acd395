import { expect, test } from 'vitest';
import type { ClientDescription } from '../../describe-client.ts';
import { judgeProxies, PROBE_ADDRESS } from './judge-proxies.ts';

const PUBLIC_URL = 'https://aff.example';
/** One proxy that appends to `X-Forwarded-For`, and a server with `TRUST_PROXY=1`. */
const CORRECT = {
  success: true as const,
  client_ip: '203.0.113.7',
  peer_ip: '10.0.0.2',
  forwarded_for: [PROBE_ADDRESS, '203.0.113.7'],
  secure: true,
  host: 'aff.example',
};

const judge = (changes: Partial<ClientDescription>, publicUrl = PUBLIC_URL) =>
  judgeProxies({ ...CORRECT, ...changes }, publicUrl).map(({ check, level, message, advice }) => ({
    check,
    level,
    verdict: /TRUST_PROXY is (too high|too low)/.exec(message)?.[1],
    advice,
  }));

const isFine = [{ check: 'server.proxies', level: 'ok', advice: null }];
const needsTrust = (count: number, verdict: 'too high' | 'too low') => [
  {
    check: 'server.proxies',
    level: 'problem',
    verdict,
    advice: expect.stringContaining(`Set TRUST_PROXY=${count} `),
  },
];

test.each([
  ['one proxy that appends', {}],
  ['one proxy that replaces the header', { forwarded_for: ['203.0.113.7'] }],
  ['two proxies', { forwarded_for: [PROBE_ADDRESS, '203.0.113.7', '10.0.0.9'], client_ip: '203.0.113.7' }],
])('accepts %s', (_what, changes) => {
  expect(judge(changes)).toEqual(isFine);
});

test('accepts a server without a proxy on plain http', () => {
  const direct = {
    client_ip: '127.0.0.1',
    peer_ip: '127.0.0.1',
    forwarded_for: [PROBE_ADDRESS],
    secure: false,
    host: 'localhost:8787',
  };
  expect(judge(direct, 'http://localhost:8787')).toEqual(isFine);
  expect(judge({ ...direct, client_ip: null }, 'http://localhost:8787')).toEqual(isFine);
});

test('reports that TRUST_PROXY is too high if the server believes a forged address', () => {
  expect(judge({ client_ip: PROBE_ADDRESS })).toEqual(needsTrust(1, 'too high'));
  expect(
    judge({ client_ip: PROBE_ADDRESS, forwarded_for: [PROBE_ADDRESS], secure: false }, 'http://aff.example'),
  ).toEqual(needsTrust(0, 'too high'));
});

test('reports that TRUST_PROXY is too low if the server sees no address, or the address of a proxy', () => {
  expect(judge({ client_ip: '10.0.0.2' })).toEqual(needsTrust(1, 'too low'));
  expect(judge({ client_ip: null })).toEqual(needsTrust(1, 'too low'));
  expect(judge({ client_ip: '10.0.0.9', forwarded_for: [PROBE_ADDRESS, '203.0.113.7', '10.0.0.9'] })).toEqual(
    needsTrust(2, 'too low'),
  );
});

test('reports an https proxy that omits the client address or the protocol, or changes the host', () => {
  expect(judge({ forwarded_for: [PROBE_ADDRESS] })).toEqual([
    { check: 'server.proxies', level: 'problem', advice: expect.stringContaining('X-Forwarded-For') },
  ]);
  expect(judge({ secure: false })).toEqual([
    ...isFine,
    { check: 'server.https', level: 'problem', advice: expect.stringContaining('X-Forwarded-Proto') },
  ]);
  expect(judge({ host: '10.0.0.5:8787' })).toEqual([
    ...isFine,
    { check: 'server.host', level: 'warning', advice: expect.stringContaining('Host') },
  ]);
});
