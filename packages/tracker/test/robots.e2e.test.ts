import { describe, expect, it } from 'vitest';
import { page, setUp, site, tag, visit } from './browser.ts';

setUp();

const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/** Opens a page with the user agent of a bot. */
async function visitAsRobot(path: string): Promise<string | null> {
  await page.addInitScript((userAgent) => {
    Object.defineProperty(navigator, 'userAgent', { value: userAgent });
  }, googlebot);
  return visit(path);
}

describe('a bot', () => {
  it('is not tracked, and trackClick returns the reason', async () => {
    expect(await visitAsRobot('/?aff=ann')).toBe(null);
    expect(await page.evaluate(() => affkit.trackClick())).toEqual({ sent: false, reason: 'robot' });
    expect(site.requests).toEqual([]);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  it('is also detected by navigator.webdriver', async () => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'webdriver', { value: true });
    });
    expect(await visit('/?aff=ann')).toBe(null);
    expect(site.requests).toEqual([]);
  });

  it('is flagged with data-bots="flag"', async () => {
    site.pages.set('/flag', tag('data-bots="flag"'));
    expect(await visitAsRobot('/flag?aff=ann')).toBe('clk_ann');
    expect(site.requests[0]?.body.additional_data).toMatchObject({ robot: true });
  });

  it('is tracked with data-bots="allow" and for test events', async () => {
    site.pages.set('/allow', tag('data-bots="allow"'));
    expect(await visitAsRobot('/allow?aff=ann')).toBe('clk_ann');
    expect(site.requests[0]?.body.additional_data).not.toHaveProperty('robot');
    await visitAsRobot('/?aff=bob');
    const outcome = await page.evaluate(() => affkit.trackClick(undefined, { test_mode: true }));
    expect(outcome).toMatchObject({ sent: true });
  });
});
