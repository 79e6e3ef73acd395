import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { chromium } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { setUp, site, tag, visit } from './browser.ts';
import { chromiumOptions, chromiumVisitor, wholeChromium } from './engines/chromium.ts';

setUp();

describe('the script', () => {
  it('works without errors when cookies and storage are blocked', async () => {
    const profile = await mkdtemp(`${tmpdir()}/affkit-`);
    await mkdir(`${profile}/Default`);
    const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
    await writeFile(`${profile}/Default/Preferences`, JSON.stringify(preferences));
    const blocked = await chromium.launchPersistentContext(profile, {
      ...chromiumOptions,
      executablePath: wholeChromium,
      ...chromiumVisitor,
    });
    try {
      const errors: string[] = [];
      blocked.on('weberror', (error) => errors.push(String(error.error())));
      site.pages.set('/blocked', tag() + tag('data-global="second"'));
      const tab = await blocked.newPage();
      expect(await visit('/blocked?aff=ann', tab)).toBe('clk_ann');
      expect(await tab.evaluate(() => document.cookie)).toBe('');
      await expect(tab.evaluate(() => localStorage.length)).rejects.toThrow('Access is denied');
      expect(await tab.evaluate(() => affkit.trackLead({ customer_key: 'user_1' }))).toMatchObject({
        success: true,
      });
      expect(site.requests.map(({ body }) => body['click_id'])).toEqual([undefined, 'clk_ann']);
      expect(errors).toEqual([]);
    } finally {
      await blocked.close();
      await rm(profile, { recursive: true, force: true });
    }
  });
});
