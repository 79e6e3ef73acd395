import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DashboardSite, startDashboardSite } from './site.ts';

/**
 * Lighthouse is not a dependency, because installing it takes 176 MB and 20 s, and only `npm run test:long`
 * uses it.
 */
const LIGHTHOUSE = 'lighthouse@13.5.0';
const LEAST_SCORE = 95;
const AUDIT_MS = 180_000;
/**
 * The maximum number of audits of a page. The best audit counts, because other work on the machine can only slow
 * a page down.
 */
const MAX_AUDITS = 3;

const PROGRAMS = '/api/advertiser/affiliate-programs';
const PARTNER = { email: 'cleo@partner.example', password: 'correct horse of Cleo' };

let site: DashboardSite;
let folder: string;
let context: BrowserContext;
let port: string;

beforeAll(async () => {
  site = await startDashboardSite();
  await site.call('PUT', `${PROGRAMS}/${site.empty}/page`, { published: true });
  const { invite_token: token } = await site.call<{ invite_token: string }>(
    'POST',
    `${PROGRAMS}/${site.full}/partners`,
    { name: 'Cleo', email: PARTNER.email },
  );
  await fetch(`${site.url}/api/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: PARTNER.password }),
  });
  folder = mkdtempSync(join(tmpdir(), 'affkit-lighthouse-'));
  const profile = join(folder, 'profile');
  context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--remote-debugging-port=0'],
  });
  [port = ''] = readFileSync(join(profile, 'DevToolsActivePort'), 'utf8').split('\n');
});

afterAll(async () => {
  await context?.close();
  await site?.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Report {
  readonly finalDisplayedUrl: string;
  readonly categories: Readonly<
    Record<string, { readonly score: number; readonly auditRefs: readonly { id: string; weight: number }[] }>
  >;
  readonly audits: Readonly<
    Record<string, { readonly score: number | null; readonly displayValue?: string }>
  >;
}

async function signIn(user: typeof PARTNER): Promise<void> {
  await context.request.post(`${site.url}/api/auth/login`, {
    data: { ...user, cookie: true },
    headers: { origin: site.url },
  });
}

/** Audits a page for a phone on slow 4G with an empty cache. */
async function audit(path: string): Promise<Report> {
  const { stdout } = await promisify(execFile)(
    'npx',
    [
      '-y',
      LIGHTHOUSE,
      site.url + path,
      `--port=${port}`,
      '--output=json',
      '--quiet',
      '--disable-storage-reset',
    ],
    { maxBuffer: 64 * 1024 * 1024, timeout: AUDIT_MS },
  );
  return JSON.parse(stdout) as Report;
}

/** Returns the categories below the minimum score, with the audits that lowered the score. */
function findFaults({ categories, audits }: Report): string[] {
  return Object.entries(categories).flatMap(([name, { score, auditRefs }]) => {
    if (score * 100 >= LEAST_SCORE) return [];
    const costly = auditRefs.filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1);
    const reasons = costly.map(({ id }) => `${id} ${audits[id]?.displayValue ?? ''}`.trim());
    return [`${name} ${Math.round(score * 100)}: ${reasons.join(', ')}`];
  });
}

test(
  'every category of Lighthouse reaches 95 on sign-in, the page of a program, overview, partners, why, and the partner portal',
  async () => {
    const faults: string[] = [];
    const check = async (path: string) => {
      let found: string[] = [];
      for (let attempt = 1; attempt === 1 || (attempt <= MAX_AUDITS && found.length > 0); attempt++) {
        const report = await audit(path);
        expect(new URL(report.finalDisplayedUrl).pathname).toBe(path);
        expect(Object.keys(report.categories)).toEqual(
          expect.arrayContaining(['performance', 'accessibility', 'best-practices', 'seo']),
        );
        found = findFaults(report);
      }
      faults.push(...found.map((fault) => `${path}: ${fault}`));
    };
    await check('/app/sign-in');
    await check('/p/empty');
    await signIn(site.owner);
    for (const page of ['', '/partners', `/why`]) await check(`/app/p/${site.full}${page}`);
    await signIn(PARTNER);
    await check(`/app/partner/${site.full}`);
    expect(faults).toEqual([]);
  },
  6 * MAX_AUDITS * AUDIT_MS,
);
