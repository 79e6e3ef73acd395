import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SERVICE_LANE } from '../../src/storage/accounts/users.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { importCommissions } from '../support/import-commissions.ts';
import { findStep, type Step, summarizeSteps, TraceClient } from '../support/trace-client.ts';
import { addProgram, enroll, makeWorld, START, type World } from '../support/world.ts';

export function tracePartnerContract(kind: string, open: OpenEngine): void {
  describe(`the trace for a partner on ${kind}`, () => {
    let world: World;
    let tracer: TraceClient;
    beforeEach(async () => {
      world = await makeWorld(await open());
      tracer = await TraceClient.of(world);
    });
    afterEach(() => world.affkit.close());

    /** Imports one commission for each partner, all for the same customer of Anna. @param centsOf amounts by partner */
    async function importFor(centsOf: Readonly<Record<string, number>>): Promise<void> {
      const customer = {
        ref: 'cus_1',
        key: null,
        email: null,
        partnerEmail: 'anna@partner.example',
        code: null,
        signupAt: START,
      };
      const commissions = Object.entries(centsOf).map(([partner, commissionCents]) => ({
        id: `of-${partner}`,
        partnerEmail: `${partner}@partner.example`,
        customer,
        saleCents: 10_000,
        commissionCents,
        earnedAt: START,
      }));
      await importCommissions(world.affkit.runtime, commissions);
    }

    async function findClickId(commissionId: number): Promise<string> {
      const { body } = await tracer.ask(`commission_id=${commissionId}`);
      return (body['data'] as { customer: { click_id: string } }).customer.click_id;
    }

    test("shows only the partner's own customers", async () => {
      const mine = await world.click('anna');
      const theirs = await world.click('ben');
      await tracer.sell('t1', { click_id: mine });
      await tracer.sell('t2', { click_id: theirs });
      const anna = await tracer.signInAs(world.anna.partnerId);
      expect(summarizeSteps(await tracer.steps('transaction_id=t1', anna))).toContain(
        'commission policy_applied',
      );
      for (const query of ['transaction_id=t2', `click_id=${theirs}`, 'transaction_id=x']) {
        expect(await tracer.ask(query, anna)).toMatchObject({ status: 404, body: { error: 'Not found' } });
      }
    });

    test('finds a customer by the id of its commission, without the transaction id', async () => {
      const clicks = [await world.click('anna'), await world.click('ben')];
      await tracer.sell('t1', { click_id: clicks[0] });
      await tracer.sell('t2', { click_id: clicks[1] });
      const anna = await tracer.signInAs(world.anna.partnerId);
      const { body } = await tracer.ask('commission_id=1', anna);
      expect(body).toMatchObject({ data: { customer: { click_id: clicks[0] } } });
      expect(JSON.stringify(body)).not.toContain('"t1"');
      expect(await tracer.ask('commission_id=2', anna)).toMatchObject({ status: 404 });
      expect(await tracer.steps('commission_id=2')).toEqual(await tracer.steps('transaction_id=t2'));
      expect(await tracer.ask('commission_id=3')).toMatchObject({ status: 404 });
      for (const query of ['commission_id=x', 'commission_id=1&transaction_id=t1']) {
        expect(await tracer.ask(query)).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
      }
    });

    test('returns 403 for a query by customer_key, whether or not the key exists', async () => {
      const click = await world.click('anna');
      await tracer.sell('t1', { click_id: click, customer_key: 'u1' });
      const anna = await tracer.signInAs(world.anna.partnerId);
      for (const key of ['u1', 'nobody']) {
        expect(await tracer.ask(`customer_key=${key}`, anna)).toMatchObject({
          status: 403,
          body: { error: 'Partners must use transaction_id, click_id or commission_id, not customer_key' },
        });
      }
    });

    test('returns 404 for another program and for an unknown one', async () => {
      const otherProgram = await addProgram(world, world.workspaceId, 'cora');
      const cora = await tracer.signInAs(otherProgram.partner.partnerId);
      expect(await tracer.ask('transaction_id=t1', cora)).toMatchObject({ status: 404 });
      const unknownPath = `/api/advertiser/affiliate-programs/999/trace?click_id=x`;
      expect(await world.call('GET', unknownPath, undefined, cora)).toMatchObject({ status: 404 });
    });

    test('omits data that identifies the customer, the payment or another partner', async () => {
      await tracer.manage('POST', '/commission-policies', {
        type: 'percent',
        rate: 30,
        partner_id: world.ben.partnerId,
      });
      const pages = {
        page_url: 'https://shop.example/secret-page',
        referrer_url: 'https://ref.example/secret',
      };
      const click = await world.click('ben', pages);
      world.clock.now += 1;
      await world.click('anna', { existing_click_id: click, ...pages });
      await world.track('lead', {
        click_id: click,
        customer_key: 'secret-key',
        email: 'jane@secret.example',
      });
      for (const id of ['asked', 'secret-order']) {
        await tracer.sell(id, { amount_cents: 123_457, click_id: click, product_id: 'secret-product' });
      }
      await world.track('refund', {
        transaction_id: 'asked',
        refund_amount_cents: 61_728,
        refund_reason: 'secret reason',
      });
      const anna = await tracer.signInAs(world.anna.partnerId);
      const reply = await tracer.ask('transaction_id=asked', anna);
      const { customer, steps } = reply.body['data'] as { customer: object; steps: Step[] };
      expect(customer).toEqual({
        customer_status: 'conversion',
        click_id: click,
        partner_id: world.anna.partnerId,
        last_click_at: new Date(START + 1).toISOString(),
        signup_date: new Date(START + 1).toISOString(),
        first_purchase_date: new Date(START + 1).toISOString(),
      });
      const text = JSON.stringify(reply.body);
      for (const secret of [
        'secret',
        '123457',
        '1234.57',
        '61728',
        'jane',
        'j***',
        '"customer_key',
        'candidates',
      ]) {
        expect(text).not.toContain(secret);
      }
      const partnerIds = steps.flatMap(({ detail }) =>
        'partner_id' in detail ? [detail['partner_id']] : [],
      );
      expect(partnerIds).toEqual([]);
      const sales = steps.filter(({ step }) => step === 'sale').map(({ detail }) => detail);
      const sale_date = new Date(START + 1).toISOString();
      expect(sales).toEqual([{ sale_date, transaction_id: 'asked' }, { sale_date }]);
      expect(steps.filter(({ step }) => step === 'click').map(({ detail }) => detail)).toEqual([
        { by_own_link: false },
        { by_own_link: true },
      ]);
      expect(findStep(steps, 'partial_refund').detail).toMatchObject({
        commission_cents: 24_691,
        deduction_cents: 12_345,
      });
    });

    test('omits the commissions that another partner earned from the same customer in another service', async () => {
      await importFor({ anna: 1111, ben: 2222 });
      const anna = await tracer.signInAs(world.anna.partnerId);
      const shown = JSON.stringify(await tracer.steps('commission_id=1', anna));
      expect(shown).toContain('11.11');
      expect(shown).not.toMatch(/22\.22|2222|of-ben/);
      expect(JSON.stringify(await tracer.steps('commission_id=1'))).toContain('22.22');
      const ben = await tracer.signInAs(world.ben.partnerId);
      expect(await tracer.ask('commission_id=1', ben)).toMatchObject({ status: 404 });
    });

    test("explains a partner's own imported commission for a customer of another partner", async () => {
      await importFor({ anna: 1111, ben: 2222 });
      const all = await tracer.steps('commission_id=2');
      expect(all.some(({ reason }) => reason === 'customer_imported')).toBe(true);
      const ben = await tracer.signInAs(world.ben.partnerId);
      const { status, body } = await tracer.ask('commission_id=2', ben);
      expect(status).toBe(200);
      const { customer, steps } = body['data'] as { customer: object; steps: Step[] };
      expect(customer).toEqual({
        customer_status: 'conversion',
        click_id: null,
        partner_id: null,
        last_click_at: null,
        signup_date: null,
        first_purchase_date: null,
      });
      expect(summarizeSteps(steps)).toEqual([
        'sale sale_recorded',
        'note sale_imported',
        'commission commission_imported',
        'approval hold_passed',
        'ledger commission',
      ]);
      expect(JSON.stringify(steps)).toContain('22.22');
      expect(JSON.stringify(steps)).not.toMatch(/11\.11|1111|of-anna/);
      expect(await tracer.ask(`click_id=${await findClickId(2)}`, ben)).toMatchObject({ status: 404 });
      const [hers, his] = all
        .filter(({ step }) => step === 'sale')
        .map(({ detail }) => detail['transaction_id']);
      expect(await tracer.ask(`transaction_id=${hers}`, ben)).toMatchObject({ status: 404 });
      const byTransaction = await tracer.steps(`transaction_id=${his}`, ben);
      expect(summarizeSteps(byTransaction)).toEqual(summarizeSteps(steps));
      const cora = await tracer.signInAs((await enroll(world.affkit, world.program, 'cora')).partnerId);
      expect(await tracer.ask('commission_id=2', cora)).toMatchObject({ status: 404 });
    });

    test('contains no sale, and no step about missing sales, if all sales belong to another partner', async () => {
      await importFor({ ben: 2222 });
      const anna = await tracer.signInAs(world.anna.partnerId);
      const clickId = await findClickId(1);
      expect(summarizeSteps(await tracer.steps(`click_id=${clickId}`, anna))).toEqual([
        'lead lead_from_server',
        'note customer_imported',
      ]);
    });

    test('shows everything to a partner who is also a member', async () => {
      const click = await world.click('ben');
      const enrolled = await enroll(world.affkit, world.program, 'olga');
      const olga = await tracer.signInAs(enrolled.partnerId);
      expect((await tracer.ask(`click_id=${click}`, olga)).status).toBe(404);
      await world.engine.write(SERVICE_LANE, async (tx) => {
        const user = await tx.db
          .selectFrom('partners')
          .select('user_id')
          .where('id', '=', enrolled.partnerId)
          .executeTakeFirstOrThrow();
        const member = {
          workspace_id: world.workspaceId,
          user_id: Number(user.user_id),
          created_at: START,
        };
        await tx.db
          .insertInto('members')
          .values({ ...member, role: 'member' })
          .execute();
      });
      expect((await tracer.ask(`click_id=${click}`, olga)).status).toBe(200);
    });
  });
}
