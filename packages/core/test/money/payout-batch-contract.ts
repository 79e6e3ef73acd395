import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { DAY, type PayoutData, type PayoutWorld, payoutWorldOn } from '../support/payout-world.ts';
import { createTestMailer } from '../support/test-mailer.ts';
import { enroll, makeWorld, type Reply } from '../support/world.ts';

type Details = Parameters<typeof toPayoutDetails>[0];

interface Batch {
  readonly id: number;
  readonly status: string;
  readonly payouts: number;
  readonly amount_cents: number;
}
interface Row {
  readonly line: number;
  readonly ok: boolean;
  readonly status?: string;
  readonly is_changed?: boolean;
  readonly error?: string;
}

const PAYPAL = { channel: 'file:paypal', currency: 'USD' };

export function payoutBatchContract(kind: string, open: OpenEngine): void {
  describe(`payout batches on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      const options = { mailer: createTestMailer(), publicUrl: 'https://affkit.test' };
      world = await payoutWorldOn(await makeWorld(await open(), {}, options));
    });
    afterEach(async () => {
      expect(await auditLedger(world.engine)).toEqual([]);
      await world.affkit.close();
    });

    const setDetails = (partnerId: number, details: Details) =>
      changePayoutDetails(
        world.affkit.runtime,
        { id: partnerId, workspaceId: world.workspaceId },
        toPayoutDetails(details),
      );
    const payPal = (code: string): Details => ({ method: 'paypal', email: `${code}@paypal.test` });
    /** Creates pending payouts of 20.00 for Anna and 40.00 for Ben, who both use PayPal. */
    const twoPayouts = async (): Promise<[PayoutData, PayoutData]> => {
      await world.sell('a', 10_000);
      await world.sell('b', 20_000, { code: 'ben' });
      await setDetails(world.anna.partnerId, payPal('anna'));
      await setDetails(world.ben.partnerId, payPal('ben'));
      const [first, second] = await world.payOut();
      if (!first || !second) throw new Error('Expected two payouts');
      return [first, second];
    };
    const create = async (body: object = PAYPAL) => {
      const { body: reply } = await world.ask('POST', '/payout-batches', body);
      return { batch: reply['data'] as Batch | null, leftOut: reply['left_out'] };
    };
    const createOne = async (body?: object): Promise<Batch> => {
      const { batch, leftOut } = await create(body);
      if (!batch) throw new Error(JSON.stringify(leftOut));
      return batch;
    };
    const file = async (batchId: number): Promise<string> => {
      const { body, status } = await world.ask('GET', `/payout-batches/${batchId}/file`);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return String(body);
    };
    const read = async (path: string) => (await world.ask('GET', path)).body['data'];
    const importCsv = async (batchId: number, csv: string, query = ''): Promise<Reply & { rows: Row[] }> => {
      const reply = await world.ask('POST', `/payout-batches/${batchId}/import${query}`, csv);
      return { ...reply, rows: (reply.body['data'] ?? []) as Row[] };
    };

    it('writes a file whose sum is the sum of the batch, always with the same bytes', async () => {
      const [anna, ben] = await twoPayouts();
      const batch = await createOne();
      expect(batch).toMatchObject({ status: 'open', payouts: 2, amount_cents: 6000, sent: 2, paid: 0 });
      const text =
        `anna@paypal.test,20.00,USD,P${batch.id}-${anna.id},Shop program,PAYPAL\r\n` +
        `ben@paypal.test,40.00,USD,P${batch.id}-${ben.id},Shop program,PAYPAL\r\n`;
      expect(await file(batch.id)).toBe(text);
      // Later changes of names and payout details do not change the file.
      await setDetails(world.anna.partnerId, payPal('intruder'));
      await world.ask('PUT', '', { name: 'Renamed' });
      expect(await file(batch.id)).toBe(text);
      expect(await read(`/payouts/${anna.id}`)).toMatchObject({ status: 'pending', batch_id: batch.id });
      const rows = await world.engine.read.selectFrom('payout_batch_items').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain('@paypal.test');
      const changes = await world.engine.read
        .selectFrom('audit_log')
        .select('state_after')
        .where('action', '=', 'payout_batch.create')
        .execute();
      expect(changes.map(({ state_after }) => JSON.parse(state_after ?? ''))).toEqual([
        { channel: 'file:paypal', currency: 'USD', payouts: 2, amount_cents: 6000 },
      ]);
    });

    it('gives the reason for each payout that is not in the batch', async () => {
      const [anna, ben] = await twoPayouts();
      const carl = await enroll(world.affkit, world.program, 'carl');
      const dora = await enroll(world.affkit, world.program, 'dora');
      const emil = await enroll(world.affkit, world.program, 'emil');
      await world.sell('c', 10_000, { code: 'carl' });
      await world.sell('d', 10_000, { code: 'dora' });
      await world.sell('e', 10_000, { code: 'emil' });
      await world.sell('f', 10_000, { code: 'emil', currency: 'EUR' });
      await setDetails(dora.partnerId, { method: 'other', instructions: 'cash' });
      await setDetails(emil.partnerId, { ...payPal('emil'), currency: 'EUR' });
      const more = await world.payOut();
      const idOf = (partnerId: number, currency = 'USD') =>
        more.find((payout) => payout.partner_id === partnerId && payout.currency === currency)?.id ?? 0;
      await world.refund('a');
      await world.ask('PUT', '/payout-settings', { min_payout_cents: 4001 });
      const named = await create({ ...PAYPAL, payout_ids: [idOf(emil.partnerId, 'EUR'), 999_999] });
      const { batch, leftOut } = await create();
      expect([named.batch, batch]).toEqual([null, null]);
      const rows = [named.leftOut, leftOut].flat() as { payout_id: number; reason: string }[];
      const reasons = new Map(rows.map((row) => [row.payout_id, row.reason]));
      expect(Object.fromEntries(reasons)).toEqual({
        999999: 'not_found',
        [anna.id]: 'zero_amount',
        [ben.id]: 'below_minimum',
        [idOf(carl.partnerId)]: 'below_minimum',
        [idOf(dora.partnerId)]: 'below_minimum',
        [idOf(emil.partnerId)]: 'below_minimum',
        [idOf(emil.partnerId, 'EUR')]: 'other_currency',
      });
      await world.ask('PUT', '/payout-settings', { min_payout_cents: null });
      const second = await create(PAYPAL);
      expect(second.batch).toMatchObject({ payouts: 1, amount_cents: 4000 });
      expect(second.leftOut).toEqual([
        { payout_id: anna.id, partner_id: world.anna.partnerId, reason: 'zero_amount' },
        { payout_id: idOf(carl.partnerId), partner_id: carl.partnerId, reason: 'no_details' },
        { payout_id: idOf(dora.partnerId), partner_id: dora.partnerId, reason: 'other_method' },
        { payout_id: idOf(emil.partnerId), partner_id: emil.partnerId, reason: 'other_currency' },
      ]);
      expect((await create({ ...PAYPAL, payout_ids: [ben.id] })).leftOut).toMatchObject([
        { reason: 'in_batch' },
      ]);
    });

    it('sends to a rejected or banned partner only if the request names the payout', async () => {
      const [anna, ben] = await twoPayouts();
      await world.ask('PUT', `/partners/${world.ben.partnerId}`, { status: 'banned' });
      const { batch, leftOut } = await create();
      expect(batch).toMatchObject({ payouts: 1, amount_cents: anna.amount_cents });
      expect(leftOut).toEqual([
        { payout_id: ben.id, partner_id: world.ben.partnerId, reason: 'partner_excluded' },
      ]);
      expect((await create({ ...PAYPAL, payout_ids: [ben.id] })).batch).toMatchObject({ payouts: 1 });
    });

    it('puts a payout into only one of many batches that are created concurrently', async () => {
      await twoPayouts();
      const created = await Promise.all(Array.from({ length: 8 }, () => create()));
      const batches = created.flatMap(({ batch }) => (batch ? [batch] : []));
      expect(batches.reduce((sum, { payouts }) => sum + payouts, 0)).toBe(2);
      const items = await world.engine.read.selectFrom('payout_batch_items').select('payout_id').execute();
      expect(new Set(items.map(({ payout_id }) => payout_id)).size).toBe(items.length);
    });

    it('marks payouts as paid or releases them, as the report says, even if many imports run concurrently', async () => {
      const [anna, ben] = await twoPayouts();
      const batch = await createOne();
      const csv = `payout_id,status,reference,reason\n${anna.id},paid,TX-1,\n${ben.id},failed,,Account closed\n`;
      const dry = await importCsv(batch.id, csv, '?dry_run=1');
      expect(dry.body['meta']).toEqual({ dry_run: true, paid: 1, failed: 1, unchanged: 0, rejected: 0 });
      expect(await read(`/payout-batches/${batch.id}`)).toMatchObject({ sent: 2 });
      const replies = await Promise.all(Array.from({ length: 6 }, () => importCsv(batch.id, csv)));
      const changed = replies.flatMap(({ rows }) => rows).filter((row) => row.is_changed);
      expect(changed.map(({ status }) => status).sort()).toEqual(['failed', 'paid']);
      expect(replies.every(({ rows }) => rows.every(({ ok }) => ok))).toBe(true);
      expect(await read(`/payouts/${anna.id}`)).toMatchObject({
        status: 'paid',
        reference: 'TX-1',
        batch_id: null,
      });
      expect(await read(`/payouts/${ben.id}`)).toMatchObject({ status: 'pending', batch_id: null });
      expect(await read(`/payout-batches/${batch.id}`)).toMatchObject({
        status: 'closed',
        items: [
          { payout_id: anna.id, status: 'paid', reference: 'TX-1', reason: null },
          { payout_id: ben.id, status: 'failed', reason: 'Account closed' },
        ],
      });
      expect(await world.owed()).toEqual({ USD: [0, 0] });
      const failures = await world.engine.read
        .selectFrom('emails')
        .select(['recipient', 'data'])
        .where('kind', '=', 'payout_failed')
        .execute();
      expect(failures.map(({ recipient }) => recipient)).toEqual(['ben@partner.example']);
      expect(JSON.parse(failures[0]?.data ?? '')).toMatchObject({
        amountCents: 4000,
        detail: 'Account closed',
      });
      const next = await createOne();
      expect(await file(next.id)).toBe(
        `ben@paypal.test,40.00,USD,P${next.id}-${ben.id},Shop program,PAYPAL\r\n`,
      );
      // The report of the first batch must not change the payouts of the second batch.
      const stale = await importCsv(next.id, `payout_id,status\nP${batch.id}-${ben.id},paid\n`);
      expect(stale.rows).toMatchObject([{ ok: false, error: expect.stringContaining('that contains') }]);
      // An edited file must not change these payouts either. Its first row has the reference of the first batch,
      // and its second row has the reference of another payout.
      const edited = `payout_id,reference,status\n${ben.id},P${batch.id}-${ben.id},failed\n${anna.id},P${next.id}-${ben.id},paid\n`;
      expect((await importCsv(next.id, edited)).rows).toMatchObject([
        { ok: false, error: expect.stringContaining('that contains') },
        { ok: false, error: expect.stringContaining('payout_id and reference') },
      ]);
      expect(await read(`/payouts/${ben.id}`)).toMatchObject({ status: 'pending', batch_id: next.id });
      const late = await importCsv(batch.id, `payout_id,status\n${ben.id},paid\n`);
      expect(late.rows).toMatchObject([
        { ok: false, error: expect.stringContaining('already has the status "failed" in this batch') },
      ]);
    });

    it('rejects unknown rows, wrong amounts and repeated rows, and says what to do', async () => {
      const [anna, ben] = await twoPayouts();
      const batch = await createOne();
      const lines = [
        'payout_id,status,amount,currency',
        '999999,paid,1.00,USD',
        'x,paid,,',
        `${anna.id},paid,19.99,USD`,
        `P${batch.id}-${ben.id},lost,,`,
        `P${batch.id}-${ben.id},paid,40.00,EUR`,
        `${ben.id},paid,40.00,USD`,
      ];
      const { rows } = await importCsv(batch.id, lines.join('\r\n'));
      expect(rows.map(({ error }) => error)).toEqual([
        `Batch ${batch.id} does not contain payout 999999. Import this row into the batch that contains the payout.`,
        `"x" is not a payout of batch ${batch.id}. Import this row into the batch that contains the payout.`,
        "The payout's amount in the batch is 2000, but this row says 1999 (both in the smallest unit). Check the payment, and mark the payout as paid by hand.",
        'The status "lost" is not valid. Valid statuses: paid, failed, sent, pending.',
        'The currency of the batch is USD, but this row says EUR. Check that the file belongs to this batch.',
        `This payout is also on line 6. Remove one of the two rows.`,
      ]);
      expect(await read(`/payout-batches/${batch.id}`)).toMatchObject({ sent: 2 });
      for (const csv of ['', 'payout_id,status\n', 'id,state\n1,2\n', 'payout_id,status\n"']) {
        expect(await importCsv(batch.id, csv)).toMatchObject({
          status: 400,
          body: { code: 'invalid_field' },
        });
      }
    });

    it('reads the reports of PayPal and Wise', async () => {
      const [anna, ben] = await twoPayouts();
      const paypal = await createOne();
      const report = [
        'Transaction ID,Status,Recipient,Amount,Currency,Customer ID',
        `8AB1,Completed,anna@paypal.test,"-20.00",USD,P${paypal.id}-${anna.id}`,
        `8AB2,Unclaimed,ben@paypal.test,40.00,USD,P${paypal.id}-${ben.id}`,
      ].join('\n');
      const first = await importCsv(paypal.id, report, '?format=paypal');
      expect(first.rows).toMatchObject([
        { ok: true, status: 'paid', is_changed: true },
        { ok: true, status: 'sent', is_changed: false },
      ]);
      const returned = await importCsv(paypal.id, report.replace('Unclaimed', 'Returned'), '?format=paypal');
      expect(returned.body['meta']).toEqual({
        dry_run: false,
        paid: 0,
        failed: 1,
        unchanged: 1,
        rejected: 0,
      });
      await setDetails(world.ben.partnerId, {
        method: 'wise',
        email: 'ben@wise.test',
        account_holder: 'Ben B',
      });
      const wise = await createOne({ channel: 'file:wise', currency: 'USD' });
      expect(await file(wise.id)).toContain(
        `Ben B,ben@wise.test,P${wise.id}-${ben.id},PERSON,target,40.00,USD,USD,EMAIL`,
      );
      const statement = [
        'ID,Status,Direction,"Target amount (after fees)","Target currency",Reference',
        `TRANSFER-1,COMPLETED,OUT,40.00,USD,P${wise.id}-${ben.id}`,
      ].join('\n');
      // A transfer with another purpose may have any number as its reference.
      const foreign = statement.replace(`P${wise.id}-${ben.id}`, String(ben.id));
      expect((await importCsv(wise.id, foreign, '?format=wise')).rows).toMatchObject([
        { ok: false, error: expect.stringContaining(`not a payout of batch ${wise.id}`) },
      ]);
      expect((await importCsv(wise.id, statement, '?format=wise')).rows).toMatchObject([{ status: 'paid' }]);
      expect(await read(`/payouts/${ben.id}`)).toMatchObject({ status: 'paid', reference: 'TRANSFER-1' });
    });

    it('a payout in an open batch cannot be cancelled; if it is marked as paid, its item is paid too', async () => {
      const [anna] = await twoPayouts();
      const batch = await createOne();
      expect(await world.end(anna.id, 'cancel')).toMatchObject({
        status: 409,
        body: { code: 'payout_state', error: expect.stringContaining(`it is in batch ${batch.id}`) },
      });
      expect(await world.end(anna.id, 'mark-paid', { reference: 'by hand' })).toMatchObject({ status: 200 });
      expect(await read(`/payout-batches/${batch.id}`)).toMatchObject({ status: 'open', sent: 1, paid: 1 });
    });

    it('keeps the amount of a sent payout after a refund, and claws the refund back after the payment', async () => {
      const [anna] = await twoPayouts();
      const batch = await createOne();
      await world.refund('a', 5_000);
      expect(await read(`/payouts/${anna.id}`)).toMatchObject({ amount_cents: 2000 });
      expect(await world.owed()).toEqual({ USD: [1000, 0] });
      await world.affkit.jobs.runOnce();
      const warnings = await world.engine.read
        .selectFrom('notifications')
        .select('partner_id')
        .where('kind', '=', 'paid_commission_reversed')
        .execute();
      expect(warnings).toEqual([{ partner_id: null }]);
      await importCsv(batch.id, `payout_id,status\n${anna.id},paid\n`);
      expect(await world.owed()).toEqual({ USD: [-1000, 0] });
      await world.sell('later', 10_000);
      expect((await world.payOut()).map(({ amount_cents }) => amount_cents)).toEqual([1000]);
    });

    it('lowers a failed payout by the refunds that arrived after the payout was sent', async () => {
      const [anna] = await twoPayouts();
      const batch = await createOne();
      await world.refund('a', 5_000);
      await importCsv(batch.id, `payout_id,status,reason\n${anna.id},failed,closed\n`);
      expect(await read(`/payouts/${anna.id}`)).toMatchObject({ status: 'pending', amount_cents: 1000 });
      expect(await world.owed()).toEqual({ USD: [1000, 0] });
      const next = await createOne();
      await importCsv(next.id, `payout_id,status\n${anna.id},paid\n`);
      expect(await world.owed()).toEqual({ USD: [0, 0] });
    });

    it('pays the difference later if a refund was subtracted twice because the first payout failed', async () => {
      const [anna] = await twoPayouts();
      const batch = await createOne({ ...PAYPAL, payout_ids: [anna.id] });
      await world.refund('a');
      await world.sell('later', 20_000);
      expect((await world.payOut()).map(({ amount_cents }) => amount_cents)).toEqual([2000]);
      await importCsv(batch.id, `payout_id,status,reason\n${anna.id},failed,closed\n`);
      expect(await read(`/payouts/${anna.id}`)).toMatchObject({ status: 'pending', amount_cents: 0 });
      // The commission of 40.00 is paid by two payouts of 20.00. The commission belongs to the first payout, so
      // the second payout contains no commission. The audit of the ledger after the test must allow this.
      expect(await world.payOut()).toMatchObject([{ amount_cents: 2000, commissions: 0 }]);
      expect(await world.owed()).toEqual({ USD: [4000, 0] });
    });

    it('writes a SEPA file only if the paying account is set, and only in EUR', async () => {
      await world.sell('e', 10_000, { currency: 'EUR' });
      await setDetails(world.anna.partnerId, {
        method: 'bank',
        iban: 'DE89370400440532013000',
        account_holder: 'Анна',
      });
      await world.payOut();
      const sepa = { channel: 'file:sepa', currency: 'EUR' };
      expect(await world.ask('POST', '/payout-batches', { ...sepa, currency: 'USD' })).toMatchObject({
        status: 400,
        body: { error: 'currency must be EUR for the channel file:sepa' },
      });
      expect(await world.ask('POST', '/payout-batches', sepa)).toMatchObject({
        status: 409,
        body: { code: 'debtor_required' },
      });
      const debtor = { name: 'Tea Shop', iban: 'GB33 BUKB 2020 1555 5555 55', bic: 'BUKBGB22' };
      const saved = await world.ask('PUT', '/payout-settings', { debtor });
      expect(saved.body['data']).toEqual({
        min_payout_cents: null,
        schedule_day: null,
        debtor: { name: 'Tea Shop', iban_masked: 'GB33…5555', bic: 'BUKBGB22' },
        providers: [],
      });
      const rows = await world.engine.read.selectFrom('payout_settings').selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain('BUKB');
      expect(await create(sepa)).toMatchObject({ batch: null, leftOut: [{ reason: 'unsupported_text' }] });
      await setDetails(world.anna.partnerId, {
        method: 'bank',
        iban: 'DE89370400440532013000',
        account_holder: 'Anna Müller',
      });
      const batch = await createOne(sepa);
      await world.ask('PUT', '/payout-settings', { debtor: null });
      // The first download is on a Friday, so the bank pays on Monday. Later downloads do not change this date.
      world.clock.now += 4 * DAY;
      const xml = await file(batch.id);
      expect(xml).toContain('<ReqdExctnDt><Dt>2026-06-22</Dt></ReqdExctnDt>');
      world.clock.now += 10 * DAY;
      expect(await file(batch.id)).toBe(xml);
      expect(xml).toContain('<Nm>Anna Muller</Nm>');
      expect(xml).toContain('<InstdAmt Ccy="EUR">20.00</InstdAmt>');
      expect(xml).toContain('<IBAN>GB33BUKB20201555555555</IBAN>');
    });
  });
}
