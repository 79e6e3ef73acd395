import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { createLink } from '../../src/management/links.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { SILENT } from '../support/silent-logger.ts';
import { addLink, addProgram, makeWorld, SECRET, signInOwner, type World } from '../support/world.ts';

export function codeCaseContract(kind: string, open: OpenEngine): void {
  describe(`the case of codes on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(() => auditAndClose(world));

    const visit = async (code: string, fields: object = {}) => {
      const affiliate_url = `https://shop.example/?aff=${encodeURIComponent(code)}`;
      const headers = { origin: 'https://shop.example' };
      const { body } = await world.call('POST', '/api/v1/track/click', { affiliate_url, ...fields }, headers);
      return body['error'] ?? body['partner_code'] ?? body['data'];
    };

    test('a click finds its link regardless of case, and returns the code as the link spells it', async () => {
      await addLink(world, world.anna.partnerId, 'Kiki-I');
      for (const code of ['Kiki-I', 'kiki-i', 'KIKI-I', 'kIKI-i']) expect(await visit(code)).toBe('Kiki-I');
      const headers = await signInOwner(world);
      const { id } = world.program;
      const links = `/api/advertiser/affiliate-programs/${id}/links?q=kIKI-i`;
      const { body } = await world.call('GET', links, undefined, headers);
      expect(body['data']).toMatchObject([{ short_link: 'Kiki-I', clicks: 4 }]);
      const [link] = body['data'] as { id: number }[];
      const events = await world.call('GET', `/api/tracking/events/${id}`, undefined, headers);
      expect(events.body['data']).toMatchObject(Array.from({ length: 4 }, () => ({ link_id: link?.id })));
    });

    test('a click does not find a link if only the case rules of Unicode make the two codes equal', async () => {
      await addLink(world, world.anna.partnerId, 'Kiki-Iss');
      // The Kelvin sign, I with a dot, i without a dot, a combining dot, long s, and sharp s.
      const codes = ['\u212aiki-Iss', 'Kiki-\u0130ss', 'Kiki-\u0131ss', 'Kiki-i\u0307ss', 'Kiki-I\u017fs'];
      for (const code of [...codes, 'Kiki-I\u00df'])
        expect(await visit(code)).toBe('Referral link not found');
    });

    test('concurrent requests for different spellings of a code create one link', async () => {
      const spellings = ['zoe', 'Zoe', 'ZOE', 'zOE', 'zoE', 'ZoE'];
      const made = await Promise.all(
        spellings.map((short_link) =>
          createLink(world.affkit.runtime, world.program, { partner_id: world.anna.partnerId, short_link }),
        ),
      );
      const codes = made.flatMap((link) => ('shortLink' in link ? [link.shortLink] : []));
      expect(codes).toHaveLength(1);
      for (const code of spellings) expect(await visit(code)).toBe(codes[0]);
    });

    test('a click finds the link with the exact spelling if old codes differ only in case', async () => {
      const other = await addProgram(world, world.workspaceId, 'cleo');
      // The state after migration 0032: of several codes that differ only in case, it converts only one to
      // lower case.
      for (const table of ['links', 'link_directory'] as const) {
        await world.engine.write(1, (tx) =>
          tx.db.updateTable(table).set({ short_link: 'ANNA' }).where('short_link', '=', 'cleo').execute(),
        );
      }
      const warnings: object[] = [];
      const logger = { ...SILENT, warn: (fields: object) => void warnings.push(fields) };
      await createAffkit({ engine: world.engine, secret: SECRET, logger }).migrate();
      expect(warnings).toEqual([{ links: [{ short_link: 'ANNA', program_id: other.program.id }] }]);

      // The code `ANNA` belongs to the other program, which does not allow the origin of these visits.
      const found = ['Origin not allowed', 'anna', 'anna', 'anna'];
      const codes = ['ANNA', 'anna', 'Anna', 'aNNA'];
      for (let round = 0; round < 2; round += 1) {
        expect(await Promise.all(codes.map((code) => visit(code)))).toEqual(found);
      }
      const isTest = { additional_data: { test_mode: true } };
      expect(await visit('ANNA', isTest)).toBe('Origin not allowed');
      expect(await visit('Anna', isTest)).toMatchObject({ programId: world.program.id });

      const headers = await signInOwner(world);
      const refusals = `/api/advertiser/affiliate-programs/${other.program.id}/refusals`;
      const { body } = await world.call('GET', refusals, undefined, headers);
      expect(body['data']).toHaveLength(3);
    });
  });
}
