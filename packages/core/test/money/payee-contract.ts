import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Payee } from '../../src/access/sealed-payout-details.ts';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails, readPayee, removePayoutDetails } from '../../src/management/payout-details.ts';
import { findPayout } from '../../src/storage/money/payouts.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openPayoutWorld, type PayoutData, type PayoutWorld } from '../support/payout-world.ts';

export function payeeContract(kind: string, open: OpenEngine): void {
  describe(`the payee on a receipt, on ${kind}`, () => {
    let world: PayoutWorld;
    beforeEach(async () => {
      world = await openPayoutWorld(open);
    });
    afterEach(() => world.affkit.close());

    const partnerOf = (partner: { readonly partnerId: number }) => ({
      id: partner.partnerId,
      workspaceId: world.workspaceId,
    });
    const setTaxName = (partner: { readonly partnerId: number }, taxName: string) =>
      changePayoutDetails(
        world.affkit.runtime,
        partnerOf(partner),
        toPayoutDetails({ method: 'paypal', email: 'me@paypal.test', tax_name: taxName }),
      );
    const payeeOf = async ({ id }: PayoutData): Promise<Payee | null> => {
      const payout = await findPayout(world.engine.read, world.program.id, id);
      if (!payout) throw new Error(`There is no payout ${id}`);
      return await readPayee(world.affkit.runtime, payout);
    };
    const payOutOne = async (): Promise<PayoutData> => {
      const [payout] = await world.payOut();
      if (!payout) throw new Error('There is no payout');
      return payout;
    };

    it("a receipt shows the batch's payout details, or the partner's if it was paid outside of a batch", async () => {
      await world.sell('a', 10_000);
      await world.sell('b', 20_000, { code: 'ben' });
      const [anna, ben] = await world.payOut();
      if (!anna || !ben) throw new Error('Expected two payouts');
      const setBoth = async (taxName: string) => {
        await setTaxName(world.anna, taxName);
        await setTaxName(world.ben, taxName);
      };
      await setBoth('In the batch');
      const { body } = await world.ask('POST', '/payout-batches', {
        channel: 'file:paypal',
        currency: 'USD',
      });
      const { id: batchId } = body['data'] as { id: number };
      await setBoth('After the batch');
      const csv = `payout_id,status\n${anna.id},paid\n${ben.id},failed\n`;
      await world.ask('POST', `/payout-batches/${batchId}/import`, csv);
      await world.end(ben.id, 'mark-paid');
      await setBoth('Now');
      expect(await payeeOf(anna)).toMatchObject({ tax_name: 'In the batch', method: 'paypal' });
      expect(await payeeOf(ben)).toMatchObject({ tax_name: 'After the batch', method: 'paypal' });
    });

    it('a receipt keeps the payout details after the partner has deleted them', async () => {
      await world.sell('a', 10_000);
      await setTaxName(world.anna, 'Anna');
      const payout = await payOutOne();
      await world.end(payout.id, 'mark-paid');
      await removePayoutDetails(world.affkit.runtime, partnerOf(world.anna), { mayDelete: true });
      expect(await payeeOf(payout)).toMatchObject({ tax_name: 'Anna' });
    });

    it('a receipt shows the current payout details if the payout is pending or was paid without details', async () => {
      await world.sell('a', 10_000);
      const payout = await payOutOne();
      await setTaxName(world.anna, 'Before');
      expect(await payeeOf(payout)).toMatchObject({ tax_name: 'Before', method: 'paypal' });
      await removePayoutDetails(world.affkit.runtime, partnerOf(world.anna), { mayDelete: true });
      await world.end(payout.id, 'mark-paid');
      expect(await payeeOf(payout)).toBeNull();
      await setTaxName(world.anna, 'Later');
      expect(await payeeOf(payout)).toMatchObject({ tax_name: 'Later', method: null });
    });
  });
}
