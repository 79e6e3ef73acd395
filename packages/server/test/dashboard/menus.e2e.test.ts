import { expect, test } from 'vitest';
import { openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

test('shows all actions of the last row of a list, even if there is no space below the row', async () => {
  await site.call('POST', `/api/advertiser/affiliate-programs/${site.full}/payouts`, {});
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  const page = await context.newPage();
  await page.setViewportSize({ width: 1280, height: 480 });
  await signIn(page);
  await page.goto(`/app/p/${site.full}/payouts`);
  await settle(page);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page
    .getByRole('button', { name: /^Actions for/ })
    .last()
    .click();
  const box = await page.getByRole('button', { name: 'Cancel…' }).boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(480);
  await context.close();
});
