import { Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../test/support/listen.ts';
import { findUrlFault, isHostEntry } from './endpoint-url.ts';
import { isPublicAddress } from './public-address.ts';
import { pinnedConnection, pinnedLookup, resolveEndpoint } from './resolve-host.ts';
import { createWebhookSender } from './send-webhook.ts';

/** Addresses that a webhook must never reach. */
const FORBIDDEN_ADDRESSES = [
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
  [
    'private',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    'fc00::1',
    'fd12:3456::1',
  ],
  ['link-local', '169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0', 'fec0::1'],
  [
    'metadata services',
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
  ],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['multicast', '224.0.0.1', '239.255.255.250', 'ff02::1', 'ff0e::1'],
  ['broadcast and reserved', '255.255.255.255', '240.0.0.1', '250.1.2.3'],
  [
    'special purpose',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.9',
    '192.88.99.1',
  ],
  [
    'mapped IPv4',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '0:0:0:0:0:ffff:a00:1',
    '::ffff:8.8.8.8',
  ],
  ['compatible and translated IPv4', '::127.0.0.1', '::ffff:0:127.0.0.1', '::7f00:1'],
  ['6to4', '2002:7f00:1::', '2002:a00:1::1', '2002:a9fe:a9fe::1'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::127.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::1'],
  ['Teredo and ORCHID', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:10::1', '2001:20::1'],
  ['documentation and discard', '2001:db8::1', '3fff::1', '100::1'],
  ['SRv6 and AS112', '5f00::1', '2620:4f:8000::1'],
].flatMap(([group, ...addresses]) => addresses.map((address) => [group, address] as const));

const PUBLIC_ADDRESSES = [
  '1.1.1.1',
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.1',
  '172.32.0.1',
  '192.169.0.1',
  '2606:4700::1111',
  '2a00:1450:4001::200e',
];

/** URLs that must be rejected, including spellings that parsers interpret differently. */
const FORBIDDEN_URLS = [
  'http://shop.example/',
  'ftp://shop.example/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'data:text/plain,x',
  'javascript:alert(1)',
  '//shop.example/hook',
  'shop.example/hook',
  '',
  'https://',
  'https:///etc',
  'https://user@shop.example/',
  'https://user:password@shop.example/',
  'https://8.8.8.8@127.0.0.1/',
  'https://shop.example/#fragment',
  'https://localhost/',
  'https://localhost.:443/',
  'https://LOCALHOST/',
  'https://api.localhost/',
  'https://printer.local/',
  'https://intranet/',
  'https://kubernetes/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://127.0.1/',
  'https://0/',
  'https://0.0.0.0:443/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://127.0.0.1./',
  'https://①②⑦.⓪.⓪.①/',
  'https://１２７.０.０.１/',
  'https://127。0。0。1/',
  'https://%31%32%37.0.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://2852039166/latest/',
  'https://0xa9fea9fe/',
  'https://[::1]/',
  'https://[::]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fe80::1]/',
  'https://[fe80::1%25eth0]/',
  'https://[fd00:ec2::254]/',
  'https://[ff02::1]/',
];

describe('addresses', () => {
  test.each(FORBIDDEN_ADDRESSES)('%s: %s is not public', (_group, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  test.each(PUBLIC_ADDRESSES)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(['', 'example.com', '1.2.3', '1.2.3.4.5', '::g', '2606:4700::1111%1'])(
    '%j is not a public address',
    (text) => {
      expect(isPublicAddress(text)).toBe(false);
    },
  );
});

describe('URLs', () => {
  test.each(FORBIDDEN_URLS)('%j is rejected', async (url) => {
    expect(findUrlFault(url, [])).not.toBeNull();
    // The sender rejects the URL too, in case an earlier version has stored it.
    const { status, error } = await createWebhookSender([], () => Promise.resolve(['127.0.0.1'])).send({
      url,
      headers: {},
      body: '{}',
    });
    expect(status).toBeNull();
    expect(error).not.toBeNull();
  });

  test.each([
    'https://shop.example/hook?a=b',
    'https://shop.example:8443/',
    'https://8.8.8.8/',
    'https://xn--bcher-kva.example/',
  ])('%s is accepted', (url) => {
    expect(findUrlFault(url, [])).toBeNull();
  });

  test.each([
    ['http://127.0.0.1:8080/hook', '127.0.0.1:8080'],
    ['http://hooks.internal/hook', 'hooks.internal:80'],
    ['https://hooks.internal/hook', 'hooks.internal'],
    ['http://[::1]:9000/hook', '[::1]:9000'],
    ['http://2130706433:8080/hook', '127.0.0.1:8080'],
  ])('%s is accepted with the allowed host %s', (url, host) => {
    expect(findUrlFault(url, [host])).toBeNull();
    expect(findUrlFault(url.replace(/hook$/, 'other'), [host])).toBeNull();
    expect(findUrlFault('http://127.0.0.1:8081/', [host])).not.toBeNull();
  });

  test('rejects a URL with a user name even if its host is allowed', () => {
    expect(findUrlFault('http://user@127.0.0.1:8080/', ['127.0.0.1:8080'])).not.toBeNull();
  });

  test.each([
    ['', false],
    ['a b', false],
    ['https://x', false],
    ['x/y', false],
    ['X.example', false],
    ['x@y', false],
    ['x.example', true],
    ['10.0.0.5:8080', true],
    ['hooks:443', true],
    ['hooks:80', true],
    ['[::1]:80', true],
    [7, false],
  ])('%j is a valid allowed host: %j', (entry, isValid) => {
    expect(isHostEntry(entry)).toBe(isValid);
  });
});

describe('names', () => {
  test.each(FORBIDDEN_ADDRESSES)(
    'rejects a host name that resolves to a %s address: %s',
    async (_group, address) => {
      const url = new URL('https://rebind.example/');
      await expect(resolveEndpoint(url, [], () => Promise.resolve([address]))).rejects.toThrow(
        /not on the internet/,
      );
      // A host is rejected even if only one of its addresses is forbidden.
      await expect(
        resolveEndpoint(url, [], () => Promise.resolve(['8.8.8.8', address, '1.1.1.1'])),
      ).rejects.toThrow(/not on the internet/);
    },
  );

  test('rejects a host name without an address', async () => {
    const url = new URL('https://rebind.example/');
    await expect(resolveEndpoint(url, [], () => Promise.resolve([]))).rejects.toThrow();
  });

  test('a name server that changes its answer cannot redirect the connection', async () => {
    let received = 0;
    const target = await listen((_request, response) => {
      received += 1;
      response.end();
    });
    const { port } = new URL(target);
    let lookups = 0;
    // The first lookup returns a public address, and all later lookups return the loopback address.
    const rebinding = () => Promise.resolve([lookups++ === 0 ? '8.8.8.8' : '127.0.0.1']);
    const url = new URL(`https://rebind.example:${port}/`);
    const checked = await resolveEndpoint(url, [], rebinding);
    const connected = await new Promise((resolve) =>
      pinnedLookup(checked)('rebind.example', { all: true }, (_error, addresses) => resolve(addresses)),
    );
    expect(connected).toEqual([{ address: '8.8.8.8', family: 4 }]);
    expect(lookups).toBe(1);
    // The second lookup returns the loopback address, which the sender rejects.
    const sender = createWebhookSender([], rebinding);
    const { status, error } = await sender.send({ url: url.href, headers: {}, body: '{}' });
    expect([status, error]).toEqual([null, 'rebind.example has an address that is not on the internet.']);
    expect([lookups, received]).toEqual([2, 0]);
  });

  test('does not look up a host again after one of its addresses was rejected', async () => {
    let lookups = 0;
    const once = () => {
      lookups += 1;
      // The second address is private, so the request is rejected after the first lookup.
      return Promise.resolve(['2606:4700:ffff:ffff:ffff:ffff:ffff:ffff', '10.0.0.1']);
    };
    await createWebhookSender([], once).send({ url: 'https://rebind.example/', headers: {}, body: '{}' });
    expect(lookups).toBe(1);
  });

  test('the error for a private address does not contain the address', async () => {
    const sender = createWebhookSender([], () => Promise.resolve(['10.1.2.3']));
    const { error } = await sender.send({ url: 'https://db.internal.example/', headers: {}, body: '{}' });
    expect(error).not.toContain('10.1');
  });
});

test('returns the status of a redirect and does not follow it', async () => {
  const paths: unknown[] = [];
  const url = await listen((request, response) => {
    paths.push(request.url);
    response.writeHead(307, { location: '/other' }).end();
  });
  const { host } = new URL(url);
  const { status } = await createWebhookSender([host]).send({ url, headers: {}, body: '{}' });
  expect([status, paths]).toEqual([307, ['/']]);
});

describe('a connection to a host with several addresses', () => {
  const timeoutOf = (count: number) =>
    pinnedConnection(Array.from({ length: count }, (_, index) => `192.0.2.${index}`))
      .autoSelectFamilyAttemptTimeout;

  // A real slow address would need a full listen backlog, which behaves differently on other systems.
  test.each(['http', 'https'])('passes the timeout for an address to the socket of %s', async (protocol) => {
    const { host } = new URL(await listen((_request, response) => response.end()));
    const connect = vi.spyOn(Socket.prototype, 'connect');
    onTestFinished(() => connect.mockRestore());
    await createWebhookSender([host]).send({ url: `${protocol}://${host}/`, headers: {}, body: '{}' });
    // An `http` socket gets its options in an array.
    const [options] = [connect.mock.calls[0]?.[0]].flat();
    expect(options).toMatchObject({ autoSelectFamilyAttemptTimeout: 2_000 });
  });

  test.each([1, 2, 5])('waits two seconds for each of %i addresses', (count) => {
    expect(timeoutOf(count)).toBe(2_000);
  });

  test.each([6, 16, 40])('leaves time for a response if only the last of %i addresses answers', (count) => {
    expect((count - 1) * (timeoutOf(count) ?? 0)).toBeLessThanOrEqual(10_000);
  });

  test('waits for an address at least as long as Node does by default', () => {
    expect(timeoutOf(200)).toBe(250);
  });
});

test('fails when the host switches to another protocol', async () => {
  const url = await listen((request) => {
    request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
  });
  const { host } = new URL(url);
  const { status, error } = await createWebhookSender([host]).send({ url, headers: {}, body: '{}' });
  expect([status, error]).toEqual([null, 'The host did not send a final response.']);
});

test('closes the connection of an endless response, and returns its first 1 KiB', async () => {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const url = await listen((_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(1024, 'a')));
    };
    response.on('drain', write).on('close', close);
    write();
  });
  const { host } = new URL(url);
  const { status, body } = await createWebhookSender([host]).send({ url, headers: {}, body: '{}' });
  await closed;
  expect([status, body]).toEqual([200, 'a'.repeat(1024)]);
});
