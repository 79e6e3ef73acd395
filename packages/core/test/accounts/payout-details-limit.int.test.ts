import { describe, expect, it } from 'vitest';
import { toPayoutDetails } from '../../src/domain/payout-details.ts';
import { changePayoutDetails } from '../../src/management/payout-details.ts';
import { engineKinds } from '../support/engine-kinds.ts';
import { openPartnerWorld, PROGRAMS } from '../support/partner-portal-world.ts';
import { createTestMailer } from '../support/test-mailer.ts';

const BANK = {
  method: 'bank',
  currency: 'EUR',
  iban: 'DE89370400440532013000',
  bic: 'COBADEFFXXX',
  account_holder: 'H',
  tax_name: 'T',
  address: { line1: 'a', postal_code: '10115', city: 'Berlin', country: 'DE' },
} as const;

describe.each(Object.entries(engineKinds))('on %s', (_kind, open) => {
  it('changes of payout details in one workspace do not use up the email limit of another', async () => {
    const mailer = createTestMailer();
    const portal = await openPartnerWorld(open, { mailer, publicUrl: 'https://affkit.test' });
    const { world, away, main, sidInAway, robInMain } = portal;
    await portal.ask(away.owner, `${PROGRAMS}/${away.id}/partners/${sidInAway.id}`, 'PUT', {
      email: 'rob@partner.test',
    });
    const set = (id: number, workspaceId: number, tax_id: string) =>
      changePayoutDetails(world.affkit.runtime, { id, workspaceId }, toPayoutDetails({ ...BANK, tax_id }));
    for (let n = 0; n < 10; n++) {
      world.clock.now += 1000;
      await set(sidInAway.id, away.owner.workspaceId, `S${n}`);
    }
    await world.affkit.jobs.runOnce();
    world.clock.now += 1000;
    await set(robInMain.id, main.owner.workspaceId, 'R1');
    await world.affkit.jobs.runOnce();
    const rows = await world.engine.read
      .selectFrom('emails')
      .select(['recipient', 'status', 'last_error'])
      .where('kind', '=', 'payout_details_changed')
      .where('workspace_id', '=', main.owner.workspaceId)
      .where('recipient', '=', 'rob@partner.test')
      .execute();
    await world.close();
    expect(rows).toEqual([{ recipient: 'rob@partner.test', status: 'sent', last_error: null }]);
  });
});
