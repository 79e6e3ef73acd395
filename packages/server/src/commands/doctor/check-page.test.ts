import { expect, test } from 'vitest';
import { listen } from '../../../../core/test/support/listen.ts';
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
  const pageUrl = await listen((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html', [header]: "script-src 'none'" })
      .end('<title>Shop'),
  );
  const findings = await checkPage({
    pageUrl,
    publicUrl: 'https://track.example',
    tracker: prepareTracker({ script: 'tracker();', linker: 'linker();' }, {}),
    scriptPath: '/js/affkit.js',
    programs: null,
  });
  expect(findings.find(({ check }) => check === 'page.csp')).toMatchObject({ level });
});
