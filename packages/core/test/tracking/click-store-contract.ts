import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClickBatch, LinkFacts, NewClickEvent } from '../../src/storage/database/click-store.ts';
import { sumClicks } from '../../src/storage/tracking/clicks-counters.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { addProgram, makeWorld, START, type World } from '../support/world.ts';

const DAY = 86_400_000;
const EMPTY: ClickBatch = { customers: [], touches: [], events: [], now: START };

export function clickStoreContract(kind: string, open: OpenEngine): void {
  describe(`the click store on ${kind}`, () => {
    let world: World;
    let link: { programId: number; linkId: number; partnerId: number };
    beforeEach(async () => {
      world = await makeWorld(await open());
      link = await findLink(world, 'anna');
    });
    afterEach(() => auditAndClose(world));

    const load = (codes: string[], customers: { programId: number; clickId: string }[] = []) =>
      world.engine.write('clicks', (tx) => tx.clicks.load(codes, customers));
    const claim = (...keys: [key: string, reply: string][]) =>
      world.engine.write('clicks', (tx) =>
        tx.clicks.claimKeys(
          keys.map(([key, reply]) => ({ programId: link.programId, linkId: link.linkId, key, reply })),
          START,
        ),
      );
    const save = (batch: Partial<ClickBatch>) =>
      world.engine.write('clicks', async (tx) => {
        const whole = { ...EMPTY, ...batch };
        await tx.clicks.save(whole);
        await tx.clicks.addTotals(sumClicks(whole.events));
      });
    const customer = (clickId: string, at = START) => ({ ...link, clickId, at });
    const event = (clickId: string, fields: Partial<NewClickEvent> = {}): NewClickEvent => ({
      ...link,
      customerId: null,
      clickId,
      sessionId: 's',
      subId: 'u',
      pageUrl: 'p',
      referrerUrl: 'r',
      geoCountry: 'c',
      geoRegion: 'g',
      geoCity: 'y',
      deviceType: 't',
      deviceOs: 'o',
      browserName: 'b',
      details: '{"language":"de"}',
      at: START,
      ...fields,
    });
    const counters = () =>
      world.engine.read
        .selectFrom('counters')
        .select(['subject', 'subject_id', 'value', 'last_at'])
        .where('measure', '=', 'clicks')
        .orderBy('subject')
        .orderBy('subject_id')
        .execute();

    test('returns the existing links with all facts that a click needs', async () => {
      const { programId, linkId, partnerId } = link;
      const facts: LinkFacts = {
        code: 'anna',
        shortLink: 'anna',
        linkId,
        programId,
        partnerId,
        status: 'active',
        partnerProgramStatus: 'approved',
        programDeleted: false,
        cookieWindowDays: 60,
        attributionModel: 'last_click',
        allowedOrigins: ['https://shop.example'],
        requireOrigin: false,
        cookieDomain: null,
      };
      expect(await load(['nobody', 'anna', 'ANNA'])).toEqual({ links: [facts], customers: [] });
      expect(await load([])).toEqual({ links: [], customers: [] });
    });

    test('link facts show an erased partner, a deleted program and a banned partner', async () => {
      await world.engine.write(1, async (tx) => {
        await tx.db.updateTable('programs').set({ deleted_at: START }).execute();
        await tx.db.updateTable('partner_programs').set({ status: 'banned' }).execute();
        await tx.db.updateTable('links').set({ partner_id: null }).where('short_link', '=', 'ben').execute();
      });
      const { links } = await load(['anna', 'ben']);
      expect(links.sort((a, b) => a.linkId - b.linkId)).toMatchObject([
        { shortLink: 'anna', programDeleted: true, partnerProgramStatus: 'banned' },
        { shortLink: 'ben', programDeleted: true, partnerProgramStatus: null, partnerId: null },
      ]);
    });

    test('finds customers by click id and program', async () => {
      await save({
        customers: [customer('clk_1'), customer('clk_2')],
        events: [event('clk_1'), event('clk_2')],
      });
      const { programId, linkId, partnerId } = link;
      const { customers } = await load(
        [],
        [
          { programId, clickId: 'clk_1' },
          { programId: programId + 1, clickId: 'clk_2' },
          { programId, clickId: 'clk_3' },
        ],
      );
      const expected = { programId, clickId: 'clk_1', partnerId, linkId, status: 'click', shortLink: 'anna' };
      expect(customers).toEqual([{ id: expect.any(Number), ...expected }]);
    });

    test('stores a new customer and its click event with all fields', async () => {
      await save({ customers: [customer('clk_1')], events: [event('clk_1')], now: START + 5 });
      const stored = await world.engine.read.selectFrom('customers').selectAll().executeTakeFirstOrThrow();
      expect(stored).toMatchObject({
        program_id: link.programId,
        click_id: 'clk_1',
        partner_id: link.partnerId,
        link_id: link.linkId,
        status: 'click',
        last_click_at: START,
        created_at: START + 5,
      });
      const { id: _, ...row } = await world.engine.read
        .selectFrom('click_events')
        .selectAll()
        .executeTakeFirstOrThrow();
      expect(row).toEqual({
        program_id: link.programId,
        customer_id: stored.id,
        link_id: link.linkId,
        partner_id: link.partnerId,
        click_id: 'clk_1',
        session_id: 's',
        sub_id: 'u',
        page_url: 'p',
        referrer_url: 'r',
        geo_country: 'c',
        geo_region: 'g',
        geo_city: 'y',
        device_type: 't',
        device_os: 'o',
        browser_name: 'b',
        details: '{"language":"de"}',
        is_test: 0,
        click_at: START,
        created_at: START + 5,
      });
    });

    test('links all events of a new customer to this customer', async () => {
      await save({
        customers: [customer('clk_1')],
        events: [event('clk_1'), event('clk_1', { at: START + 1 })],
      });
      const rows = await world.engine.read
        .selectFrom('click_events')
        .innerJoin('customers', (join) =>
          join
            .onRef('customers.program_id', '=', 'click_events.program_id')
            .onRef('customers.id', '=', 'click_events.customer_id'),
        )
        .select('customers.click_id')
        .execute();
      expect(rows).toEqual([{ click_id: 'clk_1' }, { click_id: 'clk_1' }]);
    });

    test('links each of many events to its own new or existing customer', async () => {
      const ids = Array.from({ length: 101 }, (_, index) => `clk_${index}`);
      const [known = '', ...fresh] = ids;
      await save({ customers: [customer(known)], events: [event(known)] });
      const { customers } = await load([], [{ programId: link.programId, clickId: known }]);
      const ofKnown = { customerId: customers[0]?.id ?? null };
      await save({
        customers: fresh.map((clickId) => customer(clickId)),
        events: fresh.flatMap((clickId, index) =>
          index % 7 === 0 ? [event(known, ofKnown), event(clickId)] : [event(clickId)],
        ),
      });
      const rows = await world.engine.read
        .selectFrom('click_events')
        .innerJoin('customers', (join) =>
          join
            .onRef('customers.program_id', '=', 'click_events.program_id')
            .onRef('customers.id', '=', 'click_events.customer_id'),
        )
        .select(['customers.click_id as owner', 'click_events.click_id'])
        .execute();
      expect(rows).toHaveLength(ids.length + 15);
      expect(rows.filter((row) => row.owner !== row.click_id)).toEqual([]);
      expect(new Set(rows.map((row) => row.click_id))).toEqual(new Set(ids));
    });

    test('a later click changes the customer’s partner, and never makes the time of the last click earlier', async () => {
      await save({ customers: [customer('clk_1')], events: [event('clk_1')] });
      const ben = await findLink(world, 'ben');
      const { customers } = await load([], [{ programId: link.programId, clickId: 'clk_1' }]);
      const id = customers[0]?.id ?? 0;
      const read = () =>
        world.engine.read
          .selectFrom('customers')
          .select(['partner_id', 'link_id', 'last_click_at'])
          .executeTakeFirstOrThrow();
      const moved = { partner_id: ben.partnerId, link_id: ben.linkId };
      await save({ touches: [{ ...ben, customerId: id, lastClickAt: START + 9 }] });
      expect(await read()).toEqual({ ...moved, last_click_at: START + 9 });
      await save({ touches: [{ ...ben, customerId: id, lastClickAt: START + 3 }] });
      expect(await read()).toEqual({ ...moved, last_click_at: START + 9 });
    });

    test('adds the sums of the batch to counters and daily totals', async () => {
      const otherProgram = await addProgram(world, world.workspaceId, 'carl');
      const carl = await findLink(world, 'carl');
      const batch = {
        customers: [customer('clk_1'), { ...carl, clickId: 'clk_2', at: START }],
        events: [
          event('clk_1', { at: START + DAY }),
          event('clk_2', { ...carl }),
          event('clk_1'),
          event('clk_1', { partnerId: null, at: START + 1 }),
        ],
      };
      await save(batch);
      await save({ events: [event('clk_1', { at: START - 5 })] });
      expect(await counters()).toEqual(
        [
          { subject: 'link', subject_id: link.linkId, value: 4, last_at: START + DAY },
          { subject: 'link', subject_id: carl.linkId, value: 1, last_at: START },
          { subject: 'partner', subject_id: link.partnerId, value: 3, last_at: START + DAY },
          { subject: 'partner', subject_id: carl.partnerId, value: 1, last_at: START },
        ].sort((a, b) => (a.subject === b.subject ? a.subject_id - b.subject_id : 0)),
      );
      const days = await world.engine.read
        .selectFrom('daily_totals')
        .select(['program_id', 'partner_id', 'day', 'value'])
        .where('measure', '=', 'clicks')
        .orderBy('program_id')
        .orderBy('partner_id')
        .orderBy('day')
        .where('partner_id', '>=', 0)
        .execute();
      const today = Math.floor(START / DAY);
      const { programId: program_id, partnerId: partner_id } = link;
      expect(days).toEqual([
        { program_id, partner_id: 0, day: today, value: 3 },
        { program_id, partner_id: 0, day: today + 1, value: 1 },
        { program_id, partner_id, day: today, value: 2 },
        { program_id, partner_id, day: today + 1, value: 1 },
        { program_id: otherProgram.program.id, partner_id: 0, day: today, value: 1 },
        { program_id: otherProgram.program.id, partner_id: carl.partnerId, day: today, value: 1 },
      ]);
    });

    test('claims a key once, and answers later claims with the first reply', async () => {
      expect(await claim(['k1', 'one'])).toEqual([]);
      const first = { programId: link.programId, linkId: link.linkId, key: 'k1', reply: 'one' };
      expect(await claim(['k2', 'two'], ['k1', 'other'])).toEqual([first]);
      expect((await claim(['k1', 'x'], ['k2', 'y'])).map((key) => key.reply).sort()).toEqual(['one', 'two']);
    });

    test('20 concurrent claims of the same key have one winner', async () => {
      const claims = await Promise.all(Array.from({ length: 20 }, (_, index) => claim(['k', String(index)])));
      expect(claims.filter((taken) => taken.length === 0)).toHaveLength(1);
      expect(new Set(claims.flat().map((key) => key.reply)).size).toBe(1);
    });

    test('a batch that fails stores nothing', async () => {
      await save({ customers: [customer('clk_1')], events: [event('clk_1')] });
      const before = await counters();
      const failing = save({ customers: [customer('clk_2'), customer('clk_1')], events: [event('clk_2')] });
      await expect(failing).rejects.toThrow();
      expect(await counters()).toEqual(before);
      expect(await world.engine.read.selectFrom('customers').select('click_id').execute()).toEqual([
        { click_id: 'clk_1' },
      ]);
    });
  });
}

async function findLink(world: World, code: string) {
  const row = await world.engine.read
    .selectFrom('links')
    .select(['program_id', 'id', 'partner_id'])
    .where('short_link', '=', code)
    .executeTakeFirstOrThrow();
  return { programId: row.program_id, linkId: row.id, partnerId: row.partner_id ?? 0 };
}
