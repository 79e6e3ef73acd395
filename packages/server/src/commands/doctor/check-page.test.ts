import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { prepareTracker } from '../../tracker-script.ts';
import { checkCookieDomain, checkPage } from './check-page.ts';

test.each([
  ['ok', 'https://www.shop.example/', 'https://aff.shop.example', 'shop.example'],
  ['ok', 'https://shop.example/', 'https://aff.other.example', null],
  ['warning', 'https://shop.example/', 'https://aff.other.example', 'shop.example'],
  ['problem', 'https://shop.example/', 'https://aff.www.shop.example', 'www.shop.example'],
  ['problem', 'https://myshop.example/', 'https://aff.shop.example', 'shop.example'],
])(
  'reports %s for the page %s, the server %s and the cookie domain %s',
  (level, page, server, cookieDomain) => {
    expect(checkCookieDomain({ id: 7, cookieDomain }, new URL(page), new URL(server))).toMatchObject({
      check: 'page.cookie_domain',
      level,
    });
  },
);

test.each([
  ['content-security-policy', 'problem'],
  ['content-security-policy-report-only', 'ok'],
])('if the %s of a page blocks the tracker, the level is %s', async (header, level) => {
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', [header]: "script-src 'none'" })
      .end('<title>Shop'),
  );
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const findings = await checkPage({
    pageUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    publicUrl: 'https://track.example',
    tracker: prepareTracker({ script: 'tracker();', linker: 'linker();' }, {}),
    scriptPath: '/js/affkit.js',
    programs: null,
  });
  expect(findings.find(({ check }) => check === 'page.csp')).toMatchObject({ level });
});
