import { describe, expect, it } from 'vitest';
import { page, setUp, site, tag, visit } from './bench.ts';

setUp();

const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

/** Opens a page as a robot does. */
async function visitAsRobot(path: string): Promise<string | null> {
  await page.addInitScript((userAgent) => {
    Object.defineProperty(navigator, 'userAgent', { value: userAgent });
  }, googlebot);
  return visit(path);
}

describe('a robot', () => {
  it('leaves no trace, and is told so', async () => {
    expect(await visitAsRobot('/?aff=ann')).toBe(null);
    expect(await page.evaluate(() => affkit.trackClick())).toEqual({ sent: false, reason: 'robot' });
    expect(site.requests).toEqual([]);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });

  it('is also a browser under remote control', async () => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'webdriver', { value: true });
    });
    expect(await visit('/?aff=ann')).toBe(null);
    expect(site.requests).toEqual([]);
  });

  it('is flagged where the site wants to see it', async () => {
    site.pages.set('/flag', tag('data-bots="flag"'));
    expect(await visitAsRobot('/flag?aff=ann')).toBe('clk_ann');
    expect(site.requests[0]?.body.additional_data).toMatchObject({ robot: true });
  });

  it("is let through for the site's own tests, by an attribute or as a test event", async () => {
    site.pages.set('/allow', tag('data-bots="allow"'));
    expect(await visitAsRobot('/allow?aff=ann')).toBe('clk_ann');
    expect(site.requests[0]?.body.additional_data).not.toHaveProperty('robot');
    await visitAsRobot('/?aff=bob');
    const outcome = await page.evaluate(() => affkit.trackClick(undefined, { test_mode: true }));
    expect(outcome).toMatchObject({ sent: true });
  });
});
