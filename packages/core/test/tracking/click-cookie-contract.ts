import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changeProgram, createProgram } from '../../src/management/programs.ts';
import type { ProgramAccount } from '../../src/storage/programs/programs.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { enroll, makeWorld, unwrap, type World } from '../support/world.ts';

export function clickCookieContract(kind: string, open: OpenEngine): void {
  describe(`the cookie of a click on ${kind}`, () => {
    let world: World;
    let program: ProgramAccount;
    beforeEach(async () => {
      world = await makeWorld(await open());
      const created = await createProgram(world.affkit.runtime, world.workspaceId, {
        name: 'Own site',
        site_url: 'https://aff.example',
        cookie_domain: 'aff.example',
        cookie_window_days: 30,
        commission: { type: 'percent', rate: 20 },
      });
      program = unwrap(created).program;
      await enroll(world.affkit, program, 'dora');
      await enroll(world.affkit, program, 'emil');
    });
    afterEach(() => auditAndClose(world));

    const click = (code: string, headers: Readonly<Record<string, string>>, fields: object = {}) =>
      world.call(
        'POST',
        '/api/v1/track/click',
        { affiliate_url: `https://aff.example/?aff=${code}`, ...fields },
        headers,
      );
    /** Sends a click with the visitor's cookies, and returns its click id and the click id of the new cookie. */
    const visit = async (code: string, cookie?: string, fields: object = {}) => {
      const sent = cookie === undefined ? {} : { cookie };
      const { body, headers } = await click(code, { 'sec-fetch-site': 'same-site', ...sent }, fields);
      return {
        clickId: String(body['click_id']),
        stored: headers['set-cookie']?.match(/^service_click_id=(\w+);/)?.[1],
      };
    };

    test('is set only for same-site requests to the cookie domain of the program', async () => {
      const sameSite = await click('dora', { 'sec-fetch-site': 'same-site' });
      expect(sameSite.headers['set-cookie']).toBe(
        `service_click_id=${sameSite.body['click_id']}; Domain=aff.example; Path=/; Max-Age=2592000; SameSite=Lax; Secure`,
      );
      const cross = await click('dora', { 'sec-fetch-site': 'cross-site' });
      const elsewhere = await click('dora', { 'sec-fetch-site': 'same-site', host: 'other.example' });
      expect([cross.headers['set-cookie'], elsewhere.headers['set-cookie']]).toEqual([undefined, undefined]);
    });

    // The tracker of a page that has only the cookie does not send the click id, because it does not know the model.
    test('keeps the first click if the model is first_click and the click names no earlier one', async () => {
      unwrap(await changeProgram(world.affkit.runtime, program, { attribution_model: 'first_click' }));
      const first = await visit('dora');
      expect(first.stored).toBe(first.clickId);
      const cookie = `theme=dark; service_click_id=${first.clickId}`;
      const second = await visit('emil', cookie);
      expect(second.clickId).not.toBe(first.clickId);
      expect(second.stored).toBe(undefined);
      // A known click is reused, and its cookie is renewed.
      const known = await visit('dora', cookie, { existing_click_id: first.clickId });
      expect(known).toEqual({ clickId: first.clickId, stored: first.clickId });
    });

    test('is replaced if the model is last_click, or if the cookie has no click of the program', async () => {
      const first = await visit('dora');
      const second = await visit('emil', `service_click_id=${first.clickId}`);
      expect(second.stored).toBe(second.clickId);
      unwrap(await changeProgram(world.affkit.runtime, program, { attribution_model: 'first_click' }));
      const foreign = await world.click('anna');
      for (const text of ['', 'x', foreign, `${first.clickId}x`]) {
        const later = await visit('emil', `service_click_id=${text}; service_click_id2=${first.clickId}`);
        expect(later.stored).toBe(later.clickId);
      }
    });
  });
}
