import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { changeProgram } from '../../src/management/programs.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { SILENT } from '../support/silent-logger.ts';
import { createCaller, makeWorld, SECRET, unwrap, type World } from '../support/world.ts';

const CLICK = '/api/v1/track/click';
const LEAD = '/api/v1/track/lead';
const LANDING = 'https://shop.example/?aff=anna';

export function originContract(kind: string, open: OpenEngine): void {
  describe(`the page origin on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(() => auditAndClose(world));

    test('is required from clicks and browser leads if require_origin is set', async () => {
      const id = await world.click('anna');
      unwrap(await changeProgram(world.affkit.runtime, world.program, { require_origin: true }));
      const required = errorResponse(403, 'An Origin header is required by this program', 'origin_required');
      const testMode = { additional_data: { test_mode: true, program_id: world.program.id } };
      for (const fields of [{}, testMode]) {
        const landing = { affiliate_url: LANDING, ...fields };
        expect(await world.call('POST', CLICK, landing)).toMatchObject(required);
        expect(await world.call('POST', LEAD, { click_id: id, ...fields })).toMatchObject(required);
        const foreign = { origin: 'https://evil.example' };
        expect((await world.call('POST', CLICK, landing, foreign)).body['code']).toBe('origin_not_allowed');
      }
      expect(await world.engine.read.selectFrom('click_events').select('id').execute()).toHaveLength(1);
      const origin = { origin: 'https://shop.example' };
      const own = { origin: 'https://track.example', host: 'track.example' };
      for (const headers of [origin, own]) {
        expect((await world.call('POST', CLICK, { affiliate_url: LANDING }, headers)).status).toBe(200);
      }
      const lead = await world.call('POST', LEAD, { click_id: id }, origin);
      expect(lead.status).toBe(200);
    });

    test('may be that of the host of the request, with or without the default port', async () => {
      const send = async (origin: string, host: string) =>
        (await world.call('POST', CLICK, { affiliate_url: LANDING }, { origin, host })).status;
      expect(await send('https://track.example', 'track.example:443')).toBe(200);
      expect(await send('http://track.example', 'Track.example:80')).toBe(200);
      expect(await send('https://track.example:8443', 'track.example:8443')).toBe(200);
      expect(await send('https://track.example', 'track.example:80')).toBe(403);
      expect(await send('https://track.example', 'track.example:8443')).toBe(403);
      expect(await send('https://track.example', 'track.example/')).toBe(403);
      expect(await send('https://track.example', 'evil@track.example')).toBe(403);
    });

    test('may be that of publicUrl if a proxy replaces the Host header', async () => {
      const proxied = createAffkit({
        engine: world.engine,
        secret: SECRET,
        now: () => world.clock.now,
        logger: SILENT,
        publicUrl: 'https://www.shop.example/affiliates',
      });
      const call = createCaller(proxied);
      const behindProxy = { host: '127.0.0.1:8787', origin: 'https://www.shop.example' };
      const click = await call('POST', CLICK, { affiliate_url: LANDING }, behindProxy);
      expect(click.status).toBe(200);
      const lead = { click_id: click.body['click_id'] };
      expect((await call('POST', LEAD, lead, behindProxy)).status).toBe(200);
      const foreign = { ...behindProxy, origin: 'https://evil.example' };
      expect((await call('POST', CLICK, { affiliate_url: LANDING }, foreign)).status).toBe(403);
    });

    test('is not required from leads with a token', async () => {
      const id = await world.click('anna');
      unwrap(await changeProgram(world.affkit.runtime, world.program, { require_origin: true }));
      expect((await world.track('lead', { click_id: id })).status).toBe(200);
      const inTestMode = { customer_key: 'u1', additional_data: { test_mode: true } };
      expect((await world.track('lead', inTestMode)).status).toBe(200);
    });
  });
}
