import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openCaptchaService } from '../../../core/test/support/captcha-service.ts';
import { listen } from '../../../core/test/support/listen.ts';
import { byDepth } from '../../../core/test/support/test-depth.ts';
import {
  expectAccessible,
  expectNoOverflow,
  openContext,
  type Screen,
  settle,
  setUpDashboard,
  signIn,
  site,
} from './browser.ts';
import { startDashboardSite } from './site.ts';

setUpDashboard();

/** The folder for screenshots, for visual checks. Without this variable, the tests save no screenshots. */
const SHOTS = process.env['AFFKIT_SCREENSHOTS'];
const APPLICANT = { name: 'Mia Field', email: 'mia@blog.example' };

let page: Page;
let problems: string[];

beforeAll(async () => {
  const opened = await openContext({ width: 1280, colorScheme: 'light' });
  problems = opened.problems;
  page = await opened.context.newPage();
  await signIn(page);
  return () => opened.context.close();
});

async function shoot(of: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await of.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

async function withContext(
  screen: Parameters<typeof openContext>[0],
  use: (context: BrowserContext, problems: string[]) => Promise<void>,
): Promise<void> {
  const opened = await openContext(screen);
  try {
    await use(opened.context, opened.problems);
  } finally {
    await opened.context.close();
  }
}

test('an advertiser writes the program page, adds a question, and publishes the page', async () => {
  await page.goto(`/app/p/${site.empty}/settings`);
  await page.getByRole('link', { name: 'Edit the program page' }).click();
  await page.getByRole('heading', { level: 1, name: 'Program page' }).waitFor();
  await settle(page);
  await page.getByLabel('Published').check();
  await page.getByLabel('Description').fill('Write about our tea.\n\nWe pay every month.');
  await page.getByLabel('Terms').fill('No ads with our name.');
  await page.getByLabel('Accent color').fill('#f5d76e');
  await page.getByRole('button', { name: 'Add a question' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Enter the question.').waitFor();
  await page.getByLabel('Text', { exact: true }).fill('Where do you write?');
  await page.getByLabel('Kind of answer').selectOption('url');
  await page.getByLabel('Must be answered').check();
  await page.getByLabel('Approve these invitation codes automatically').fill('SPRING');
  await page.getByLabel('Websites that may show the page in a frame').fill('http://blog.test');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The page is saved.').waitFor();
  await page.getByText('/p/empty?code=SPRING').waitFor();
  const add = page.getByRole('button', { name: 'Add a question' });
  await add.click();
  await page.getByRole('button', { name: 'Remove question 2' }).click();
  await expect.poll(() => add.evaluate((element) => element === document.activeElement)).toBe(true);
  await expectAccessible(page);
  await shoot(page, 'settings-1280-light');
  expect(problems).toEqual([]);
});

const DESKTOP_LIGHT: Screen = { width: 1280, colorScheme: 'light' };
const PHONE_DARK: Screen = { width: 390, colorScheme: 'dark' };
const SCREENS = byDepth<readonly Screen[]>({
  short: [DESKTOP_LIGHT, PHONE_DARK],
  long: [
    DESKTOP_LIGHT,
    PHONE_DARK,
    { width: 1280, colorScheme: 'dark' },
    { width: 390, colorScheme: 'light' },
  ],
});

test.each(SCREENS)('the program page is accessible at $width px, $colorScheme', async (screen) => {
  await withContext(screen, async (context, messages) => {
    const visitor = await context.newPage();
    await visitor.goto('/p/empty');
    await visitor.getByText('You earn 20% of each sale.').waitFor();
    await expectAccessible(visitor);
    await shoot(visitor, `page-${screen.width}-${screen.colorScheme}`);
    expect(messages).toEqual([]);
  });
});

test('a visitor applies without JavaScript, and the advertiser rejects the application with a reason', async () => {
  await withContext({ width: 390, colorScheme: 'light' }, async (context) => {
    const visitor = await context.newPage();
    await visitor.goto('/p/empty');
    const fill = async () => {
      await visitor.getByLabel('Your name').fill(APPLICANT.name);
      await visitor.getByLabel('Email address').fill(APPLICANT.email);
      await visitor.getByLabel('Where do you write?').fill('https://blog.example/tea');
      await visitor.getByLabel('I accept the terms.').check();
    };
    await fill();
    await visitor.getByRole('button', { name: 'Apply' }).click();
    // The test fills in the form faster than a person could, so the server rejects the application. The form
    // keeps its values.
    await visitor.getByText('Your application was not sent.').waitFor();
    expect(await visitor.getByLabel('Where do you write?').inputValue()).toBe('https://blog.example/tea');
    await expectAccessible(visitor);
    await shoot(visitor, 'fault-390-light');
    await expect
      .poll(
        async () => {
          const apply = visitor.getByRole('button', { name: 'Apply' });
          if ((await apply.count()) > 0) await apply.click();
          return await visitor.locator('h1').textContent();
        },
        { interval: 500 },
      )
      .toBe('Your application was received');
    await expectNoOverflow(visitor);
    await shoot(visitor, 'received-390-light');
  });
  await page.goto(`/app/p/${site.empty}/partners?status=pending`);
  await page.getByRole('link', { name: APPLICANT.name }).click();
  await page.getByRole('heading', { level: 2, name: 'Application' }).waitFor();
  await page.getByRole('link', { name: 'https://blog.example/tea' }).waitFor();
  await settle(page);
  await expectAccessible(page);
  await shoot(page, 'review-1280-light');
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason (optional)').fill('Not about tea.');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Not about tea.').waitFor();
  await page.goto('/app/notifications');
  await page.getByText(`${APPLICANT.name} wants to become a partner.`).waitFor();
  await page.getByRole('link', { name: 'Open the partner' }).click();
  await page.getByRole('heading', { level: 1, name: APPLICANT.name }).waitFor();
  expect(problems).toEqual([]);
});

test('only an allowed website can show the page in a frame', async () => {
  const blog = await listen((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Blog</title><iframe src="${site.url}/p/empty"></iframe>`);
  });
  const embed_origins = [blog];
  await site.call('PUT', `/api/advertiser/affiliate-programs/${site.empty}/page`, { embed_origins });
  await withContext({ width: 1280, colorScheme: 'light' }, async (context) => {
    const allowed = await context.newPage();
    await allowed.goto(blog);
    await allowed.frameLocator('iframe').getByRole('button', { name: 'Apply' }).waitFor();
    const other = await context.newPage();
    await other.goto(`http://localhost:${new URL(blog).port}/`);
    expect(other.frames()[1]?.url()).toBe('chrome-error://chromewebdata/');
  });
});

test('a visitor solves the captcha in a frame, under the content security policy', async () => {
  const stub = await openCaptchaService();
  const { siteKey, secretKey, scriptUrl, verifyUrl } = stub.options;
  const guarded = await startDashboardSite({
    CAPTCHA: 'turnstile',
    CAPTCHA_SITE_KEY: siteKey,
    CAPTCHA_SECRET_KEY: secretKey,
    CAPTCHA_SCRIPT_URL: scriptUrl,
    CAPTCHA_VERIFY_URL: verifyUrl,
  });
  const blog = await listen((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><title>Blog</title><iframe src="${guarded.url}/p/empty" height="1200"></iframe>`,
    );
  });
  onTestFinished(async () => {
    await guarded.close();
    await stub.close();
  });
  const settings = { published: true, embed_origins: [blog] };
  await guarded.call('PUT', `/api/advertiser/affiliate-programs/${guarded.empty}/page`, settings);
  await withContext({ width: 390, colorScheme: 'dark' }, async (context, messages) => {
    const visitor = await context.newPage();
    await visitor.goto(`${guarded.url}/p/empty`);
    await visitor.frameLocator('iframe').getByRole('button', { name: 'I am human' }).waitFor();
    await expectAccessible(visitor);
    await shoot(visitor, 'captcha-390-dark');
    await visitor.goto(blog);
    const form = visitor.frameLocator('iframe');
    const fillAndApply = async () => {
      await form.getByLabel('Your name').fill(APPLICANT.name);
      await form.getByLabel('Email address').fill(APPLICANT.email);
      await form.getByRole('button', { name: 'Apply' }).click();
    };
    // The form rejects applications that arrive too fast. Repeat until the reply is about the captcha.
    await expect
      .poll(
        async () => {
          await fillAndApply();
          return await form.getByRole('alert').textContent();
        },
        { interval: 500 },
      )
      .toContain('Solve the captcha');
    const widget = form.frameLocator('iframe[title="Captcha"]');
    await widget.getByRole('button', { name: 'I am human' }).click();
    await widget.getByRole('button', { name: 'Solved' }).waitFor();
    await fillAndApply();
    await form.getByRole('heading', { name: 'Your application was received' }).waitFor();
    expect(messages.filter((message) => message.includes('Content Security Policy'))).toEqual([]);
  });
  await withContext({ width: 390, colorScheme: 'light', javaScript: false }, async (context) => {
    const visitor = await context.newPage();
    await visitor.goto(`${guarded.url}/p/empty`);
    // Locators by text skip `noscript`.
    const notice = visitor.locator('noscript p');
    await notice.waitFor();
    expect(await notice.textContent()).toContain('turn on JavaScript');
    await shoot(visitor, 'captcha-without-scripts-390-light');
  });
});

test('an unpublished program has no page', async () => {
  await withContext({ width: 390, colorScheme: 'dark' }, async (context) => {
    const visitor = await context.newPage();
    expect((await visitor.goto('/p/full'))?.status()).toBe(404);
    await visitor.getByRole('heading', { name: 'This page does not exist' }).waitFor();
    await expectAccessible(visitor);
    await shoot(visitor, 'missing-390-dark');
  });
});
