import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { errorResponse } from '../support/error-response.ts';
import { addProgram, makeWorld, START, sha256, type World } from '../support/world.ts';

const DAY = 86_400_000;
const LEAD = '/api/v1/track/lead';

export function leadContract(kind: string, open: OpenEngine): void {
  describe(`leads on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(() => auditAndClose(world));

    describe('a lead', () => {
      test('finds its customer by click id, and stores the customer key as claimed if a browser sent it', async () => {
        const id = await world.click('anna');
        const reply = await world.call('POST', LEAD, {
          click_id: id,
          customer_key: 'u1',
          email: ' Ann@Example.com',
        });
        expect(reply).toMatchObject({ status: 200, body: { success: true, message: expect.any(String) } });
        expect(await world.engine.read.selectFrom('customers').selectAll().executeTakeFirst()).toMatchObject({
          status: 'lead',
          customer_key: 'u1',
          key_state: 'claimed',
          email_hash: sha256('ann@example.com'),
          email_masked: 'a***@example.com',
          signup_at: START,
        });
      });

      test('stores the customer key of a lead with a token as verified, and its occurred_at as the sign-up time', async () => {
        const id = await world.click('anna');
        const at = new Date(START - DAY).toISOString();
        expect(
          (await world.track('lead', { click_id: id, customer_key: 'u1', occurred_at: at })).status,
        ).toBe(200);
        expect(await world.engine.read.selectFrom('customers').selectAll().executeTakeFirst()).toMatchObject({
          key_state: 'verified',
          signup_at: START - DAY,
        });
      });

      test.each([
        [{}, 'click_id or customer_key is required', 'lead_identifier_required'],
        [
          { click_id: '', customer_key: null },
          'click_id or customer_key is required',
          'lead_identifier_required',
        ],
        [{ click_id: 5 }, 'click_id or customer_key is required', 'lead_identifier_required'],
        [{ customer_key: 5 }, 'click_id or customer_key is required', 'lead_identifier_required'],
        [{ email: 5 }, 'click_id or customer_key is required', 'lead_identifier_required'],
        [{ customer_key: 'u1', click_id: 5 }, 'click_id must be a string', 'invalid_field'],
        [{ customer_key: 'u1', email: 5 }, 'email must be a string', 'invalid_field'],
        [
          { customer_key: 'u1' },
          'Customer not found. Provide a valid click_id or customer_key.',
          'lead_customer_not_found',
        ],
        [
          { click_id: 'nonsense' },
          'Customer not found. Provide a valid click_id or customer_key.',
          'lead_customer_not_found',
        ],
        [{ click_id: 'x'.repeat(256) }, 'click_id must be at most 255 characters', 'invalid_field'],
        [{ click_id: 'a\u0000b' }, 'click_id must not contain NUL or lone surrogates', 'invalid_field'],
      ])('is rejected with the body %j, whether or not it has a token', async (body, text, code) => {
        expect(await world.call('POST', LEAD, body)).toMatchObject(errorResponse(400, text, code));
        expect(await world.track('lead', body)).toMatchObject(errorResponse(400, text, code));
      });

      test('gets a hint if it has a customer_key and an unknown click_id, whether a browser or the server sends it', async () => {
        const lead = { click_id: 'nonsense', customer_key: 'u1' };
        for (const { body } of [await world.call('POST', LEAD, lead), await world.track('lead', lead)]) {
          expect(body).toMatchObject({
            error: 'Customer not found. Provide a valid click_id or customer_key.',
            code: 'lead_customer_not_found',
            hint: expect.stringContaining('No click has this click_id'),
          });
        }
        const { body } = await world.track('lead', { click_id: 'nonsense' });
        expect(body).not.toHaveProperty('hint');
      });

      test.each(['customer_key', 'click_id'])('gets a hint if its %s is a number', async (name) => {
        const { body } = await world.track('lead', { [name]: 5 });
        expect(body).toMatchObject({
          code: 'lead_identifier_required',
          hint: expect.stringContaining(`${name} must be a string`),
        });
      });

      test.each([
        ['Bearer nonsense', 'token_invalid'],
        ['Bearer  ', 'token_empty'],
        ['Basic YTpi', 'authorization_missing'],
        ['Bearer affk_abc', 'token_wrong_type'],
        ['', 'authorization_missing'],
      ])('gets a 401 with the credential %j, even if its body is unreadable', async (authorization, code) => {
        const id = await world.click('anna');
        const reply = await world.call('POST', LEAD, { click_id: id }, { authorization });
        expect([reply.status, reply.body['code']]).toEqual([401, code]);
        for (const unread of ['{', `"${'x'.repeat(65_536)}"`]) {
          expect(await world.call('POST', LEAD, unread, { authorization })).toMatchObject({
            status: 401,
            body: { code },
          });
        }
      });

      test('gets an error about its unreadable body, with a valid token or without a credential', async () => {
        for (const [body, code] of [
          ['{', 'invalid_json'],
          [`"${'x'.repeat(65_536)}"`, 'body_too_large'],
        ]) {
          expect((await world.call('POST', LEAD, body)).body['code']).toBe(code);
          expect((await world.track('lead', body)).body['code']).toBe(code);
        }
      });

      test('is rejected with the status of its customer when the server or a browser repeats it', async () => {
        const id = await world.click('anna');
        await world.call('POST', LEAD, { click_id: id, customer_key: 'u1' });
        const already = errorResponse(
          400,
          'Customer status cannot be updated to lead. Current status: lead',
          'lead_already_recorded',
        );
        expect(await world.call('POST', LEAD, { click_id: id, customer_key: 'u1' })).toMatchObject(already);
        expect(await world.track('lead', { customer_key: 'u1' })).toMatchObject(already);
        await world.track('sale', { transaction_id: 't', amount_cents: 100, customer_key: 'u1' });
        expect((await world.track('lead', { click_id: id })).body['error']).toBe(
          'Customer status cannot be updated to lead. Current status: conversion',
        );
      });

      test('is recorded once if it is sent 20 times concurrently', async () => {
        const id = await world.click('anna');
        const replies = await Promise.all(
          Array.from({ length: 20 }, () => world.track('lead', { click_id: id, customer_key: 'u1' })),
        );
        expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
        expect(replies.filter((reply) => reply.body['code'] === 'lead_already_recorded')).toHaveLength(19);
        expect(await world.engine.read.selectFrom('lead_events').select('id').execute()).toHaveLength(1);
      });

      test('is rejected if the customer does not belong to the program of the token', async () => {
        const otherProgram = await addProgram(world, world.workspaceId, 'carl');
        const id = await world.click('anna');
        const reply = await world.call(
          'POST',
          LEAD,
          { click_id: id },
          { authorization: otherProgram.authorization },
        );
        expect(reply).toMatchObject(
          errorResponse(400, 'Customer does not belong to this program', 'customer_of_other_program'),
        );
      });

      test('moves a claimed key away from the click that claimed the key, if the lead has a token', async () => {
        const claimingClick = await world.click('ben');
        await world.call('POST', LEAD, { click_id: claimingClick, customer_key: 'u1' });
        const id = await world.click('anna');
        expect((await world.track('lead', { click_id: id, customer_key: 'u1' })).status).toBe(200);
        await world.track('sale', { transaction_id: 't', amount_cents: 1000, customer_key: 'u1' });
        expect((await world.balances(world.anna.partnerId)).program).toEqual({ USD: 200 });
        expect((await world.balances(world.ben.partnerId)).program).toEqual({});
        const notes = await world.engine.read.selectFrom('trace_notes').select('reason').execute();
        expect(notes).toEqual([{ reason: 'customer_key_claim_displaced' }]);
      });

      test('moves a claimed key, if the lead has a token, even when the lead is already recorded', async () => {
        const claimingClick = await world.click('ben');
        await world.call('POST', LEAD, { click_id: claimingClick, customer_key: 'u1' });
        const id = await world.click('anna');
        await world.call('POST', LEAD, { click_id: id });
        for (const _ of [1, 2]) {
          const reply = await world.track('lead', { click_id: id, customer_key: 'u1' });
          expect([reply.status, reply.body['code']]).toEqual([400, 'lead_already_recorded']);
        }
        await world.track('sale', { transaction_id: 't', amount_cents: 1000, customer_key: 'u1' });
        expect((await world.balances(world.anna.partnerId)).program).toEqual({ USD: 200 });
        expect((await world.balances(world.ben.partnerId)).program).toEqual({});
        const notes = await world.engine.read.selectFrom('trace_notes').select('reason').execute();
        expect(notes).toEqual([{ reason: 'customer_key_claim_displaced' }]);
      });

      test('verifies the key that a browser claimed for the same click, if the lead has a token', async () => {
        const id = await world.click('anna');
        await world.call('POST', LEAD, { click_id: id, customer_key: 'u1' });
        expect((await world.track('lead', { click_id: id, customer_key: 'u1' })).status).toBe(400);
        const later = await world.click('ben');
        await world.track('sale', {
          transaction_id: 't',
          amount_cents: 1000,
          click_id: later,
          customer_key: 'u1',
        });
        expect((await world.balances(world.anna.partnerId)).program).toEqual({ USD: 200 });
      });

      test.each(['lead', 'conversion'])(
        'stores the first key of a customer with the status %s as claimed if a browser sends it later',
        async (status) => {
          const id = await world.click('anna');
          expect((await world.call('POST', LEAD, { click_id: id })).status).toBe(200);
          if (status === 'conversion') {
            await world.track('sale', { transaction_id: 't1', amount_cents: 100, click_id: id });
          }
          const reply = await world.call('POST', LEAD, { click_id: id, customer_key: 'u1' });
          expect([reply.status, reply.body['code']]).toEqual([400, 'lead_already_recorded']);
          await world.call('POST', LEAD, { click_id: id, customer_key: 'u2' });
          const customers = world.engine.read.selectFrom('customers').selectAll();
          expect(await customers.execute()).toMatchObject([
            { status, customer_key: 'u1', key_state: 'claimed' },
          ]);
          const sale = { transaction_id: 't2', amount_cents: 1000, customer_key: 'u1' };
          expect((await world.track('sale', sale)).body['commission_id']).toEqual(expect.any(Number));
        },
      );

      test('never moves a key when the lead comes from a browser', async () => {
        const first = await world.click('anna');
        await world.call('POST', LEAD, { click_id: first, customer_key: 'u1' });
        const second = await world.click('ben');
        expect(await world.call('POST', LEAD, { click_id: second, customer_key: 'u1' })).toMatchObject(
          errorResponse(
            400,
            'Customer status cannot be updated to lead. Current status: lead',
            'lead_already_recorded',
          ),
        );
      });

      test.each([
        ['off', { click_id: 'CLICK' }, 'browser_leads_off'],
        ['without_key', { click_id: 'CLICK', customer_key: 'u1' }, 'browser_key_not_allowed'],
      ] as const)(
        'is rejected if a browser sends it and browser_leads is %s',
        async (browserLeads, body, code) => {
          const id = await world.click('anna');
          await world.engine.write(1, async (tx) => {
            await tx.db.updateTable('programs').set({ browser_leads: browserLeads }).execute();
          });
          const reply = await world.call('POST', LEAD, { ...body, click_id: id });
          expect([reply.status, reply.body['code']]).toEqual([403, code]);
          expect((await world.track('lead', { ...body, click_id: id })).status).toBe(200);
        },
      );
    });
  });
}
