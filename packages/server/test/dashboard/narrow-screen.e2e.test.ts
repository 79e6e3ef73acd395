import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

let page: Page;
let problems: string[];

beforeAll(async () => {
  const opened = await openContext({ width: 390, colorScheme: 'light' });
  ({ problems } = opened);
  page = await opened.context.newPage();
  await signIn(page);
  return () => opened.context.close();
});

async function open(path: string): Promise<void> {
  await page.goto(`/app/p/${site.full}${path}`);
  await settle(page);
}

test('the navigation takes the focus, closes when Tab leaves it, and gives the focus back on Escape', async () => {
  await open('');
  const button = page.getByRole('button', { name: 'Navigation' });
  const side = page.getByRole('complementary', { name: 'Sidebar' });
  const focused = page.locator(':focus');
  expect(await side.count()).toBe(0);
  await button.focus();
  await page.keyboard.press('Enter');
  await side.locator(':focus').waitFor();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await side.waitFor({ state: 'hidden' });
  await button.and(focused).waitFor();

  // With the Tab key, the focus passes through the navigation, which closes when the focus leaves it.
  await page.keyboard.press('Enter');
  await side.locator(':focus').waitFor();
  let stops = 0;
  while ((await side.locator(':focus').count()) > 0) {
    stops += 1;
    await page.keyboard.press('Tab');
  }
  expect(stops).toBeGreaterThan(10);
  await side.waitFor({ state: 'hidden' });
  await focused.click({ trial: true });

  await button.click();
  await side.getByRole('link', { name: 'Partners' }).click();
  await page.getByRole('heading', { level: 1, name: 'Partners' }).and(focused).waitFor();
  await side.waitFor({ state: 'hidden' });
  expect(problems).toEqual([]);
});

test('if the navigation has opened the command menu, Escape moves the focus to the navigation button', async () => {
  await open('');
  const button = page.getByRole('button', { name: 'Navigation' });
  await button.click();
  await page.getByRole('button', { name: /^Go to/ }).click();
  await page.getByRole('dialog', { name: 'Command menu' }).waitFor();
  await page.keyboard.press('Escape');
  await button.and(page.locator(':focus')).waitFor();
  expect(problems).toEqual([]);
});

test('a click outside the navigation closes it, and does nothing else', async () => {
  await open('/partners');
  await page.getByRole('button', { name: 'Navigation' }).click();
  const side = page.getByRole('complementary', { name: 'Sidebar' });
  await side.waitFor();
  const bell = await page.locator('.top .bell').boundingBox();
  await page.mouse.click((bell?.x ?? 0) + 10, (bell?.y ?? 0) + 10);
  await side.waitFor({ state: 'hidden' });
  expect(new URL(page.url()).pathname).toBe(`/app/p/${site.full}/partners`);
});

test('the navigation is beside the page again when the screen becomes wide', async () => {
  await open('');
  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.setViewportSize({ width: 1280, height: 844 });
  const side = await page.getByRole('complementary', { name: 'Sidebar' }).boundingBox();
  const main = await page.getByRole('main').boundingBox();
  expect(main?.x).toBeGreaterThanOrEqual((side?.x ?? 0) + (side?.width ?? 0));
  expect(main?.width).toBeGreaterThan(600);
  await page.setViewportSize({ width: 390, height: 844 });
});

test('selects and deselects all rows of a list on a narrow screen', async () => {
  await open('/partners');
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  const bar = page.getByRole('toolbar', { name: 'Selected rows' });
  await bar.getByText('3 selected').waitFor();
  await expectAccessible(page);
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).uncheck();
  await bar.waitFor({ state: 'detached' });
});

test('the button that closes a dialog is beside a long title, and keeps its width', async () => {
  const [partner] = await site.call<{ id: number }[]>(
    'GET',
    `/api/advertiser/affiliate-programs/${site.full}/partners?q=long@`,
  );
  for (const name of ['Straße '.repeat(20), 'W'.repeat(100)]) {
    const path = `/api/advertiser/affiliate-programs/${site.full}/partners/${partner?.id}`;
    await site.call('PUT', path, { name });
    await open(`/partners/${partner?.id}`);
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('button', { name: 'Ban…' }).click();
    const dialog = page.getByRole('dialog');
    const title = await dialog.getByRole('heading').boundingBox();
    const close = await dialog.getByRole('button', { name: 'Close' }).boundingBox();
    expect(close?.width).toBe(44);
    expect(close?.x).toBeGreaterThanOrEqual((title?.x ?? 0) + (title?.width ?? 0));
    await page.keyboard.press('Escape');
  }
});
