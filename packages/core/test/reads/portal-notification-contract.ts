import { afterEach, beforeEach, expect, it } from 'vitest';
import { insertNotification } from '../../src/storage/accounts/notifications.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { countStatuses, runConcurrently } from '../support/management-world.ts';
import { openPartnerWorld, type PartnerWorld } from '../support/partner-portal-world.ts';

interface List {
  readonly data: readonly { readonly id: number }[];
}

const HOUR = 3_600_000;

export function portalNotificationContract(open: OpenEngine): void {
  let portal: PartnerWorld;

  beforeEach(async () => {
    portal = await openPartnerWorld(open);
  });
  afterEach(() => portal.world.close());

  it("lists the partner's notifications, newest first, with the details that the partner may see", async () => {
    const { main, away, inMain, inAway, pat, world } = portal;
    const first = await portal.sell(main, 'pat-main', 5000);
    const second = await portal.sell(away, 'pat-away', 7000);
    await portal.refund(main, first, { refund_amount_cents: 1000, refund_reason: 'Broken' });
    await portal.refund(main, await portal.sell(main, 'code-of-rob', 5000));
    await portal.refund(away, second);
    const row = {
      id: expect.any(Number),
      read_at: null,
      created_at: new Date(world.clock.now).toISOString(),
    };
    const notifications = [
      {
        ...row,
        workspace_id: away.owner.workspaceId,
        program_id: away.id,
        partner_id: inAway.id,
        kind: 'commission_reversed',
        details: { commission_id: second, deduction_cents: 700, currency: 'USD', reason: null },
      },
      {
        ...row,
        workspace_id: main.owner.workspaceId,
        program_id: main.id,
        partner_id: inMain.id,
        kind: 'commission_refunded',
        details: { commission_id: first, deduction_cents: 100, currency: 'USD', reason: 'Broken' },
      },
    ];
    expect(await portal.ask(pat, '/api/partner/notifications')).toEqual({
      success: true,
      data: notifications,
      meta: { pagination: { page: 1, pageSize: 10, pageCount: 1, total: 2 }, unread_count: 2 },
    });
    const named = await portal.ask<List>(pat, `/api/partner/notifications?partner_id=${inAway.id}`);
    expect(named.data).toEqual(notifications.slice(0, 1));
    const later = await portal.ask<List>(pat, '/api/partner/notifications?page=2&pageSize=1');
    expect(later.data).toEqual(notifications.slice(1));
  });

  it('removes details that are not meant for the partner', async () => {
    const { main, inMain, pat, world } = portal;
    const payload = {
      commissionId: 3,
      transactionId: 'txn-1',
      customerKey: 'buyer-1',
      saleAmountCents: 5000,
    };
    await world.engine.write(main.owner.workspaceId, (tx) =>
      insertNotification(tx, {
        workspace_id: main.owner.workspaceId,
        program_id: main.id,
        partner_id: inMain.id,
        kind: 'commission_reversed',
        dedupe_key: 'too many details',
        payload: JSON.stringify(payload),
        read_at: null,
        created_at: world.clock.now,
      }),
    );
    const { data } = await portal.ask<List>(pat, '/api/partner/notifications');
    expect(data).toMatchObject([{ details: { commission_id: 3 } }]);
    expect(JSON.stringify(data)).not.toMatch(/txn|buyer|5000/);
  });

  it("marks the partner's notifications as read and does not change the time of the first read", async () => {
    const { main, pat, rob, world } = portal;
    await portal.refund(main, await portal.sell(main, 'pat-main', 5000));
    const { data } = await portal.ask<List>(pat, '/api/partner/notifications');
    const path = `/api/partner/notifications/${data[0]?.id}/read`;
    const mark = (token: string, target = path) => world.call('POST', target, { token });
    expect(await mark(rob.token)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await mark(main.owner.token)).toMatchObject({ status: 403 });
    // The advertiser's route does not find notifications of partners.
    expect(await mark(main.owner.token, path.replace('partner', 'advertiser'))).toMatchObject({
      status: 404,
    });
    for (const unknown of ['0', 'x', '99999999']) {
      expect(await mark(pat.token, `/api/partner/notifications/${unknown}/read`)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    }
    expect((await portal.ask<List>(pat, '/api/partner/notifications')).data).toEqual(data);
    const at = new Date(world.clock.now).toISOString();
    expect(countStatuses(await runConcurrently(20, () => mark(pat.token)))).toEqual({ 200: 20 });
    world.clock.now += HOUR;
    expect(await mark(pat.token)).toMatchObject({
      status: 200,
      body: { success: true, data: { ...data[0], read_at: at } },
    });
    expect((await portal.ask<List>(pat, '/api/partner/notifications')).data).toMatchObject([{ read_at: at }]);
  });

  it("does not mark the advertiser's notifications as read", async () => {
    const { main, pat, world } = portal;
    const { id } = await world.engine.write(main.owner.workspaceId, (tx) =>
      tx.db
        .insertInto('notifications')
        .values({
          workspace_id: main.owner.workspaceId,
          program_id: main.id,
          partner_id: null,
          kind: 'paid_commission_reversed',
          dedupe_key: 'of the advertiser',
          payload: '{}',
          read_at: null,
          created_at: world.clock.now,
        })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    const target = `/api/partner/notifications/${id}/read`;
    expect(await world.call('POST', target, { token: pat.token })).toMatchObject({ status: 404 });
    const list = await portal.ask<List>(main.owner, '/api/advertiser/notifications');
    expect(list.data).toMatchObject([{ id, read_at: null }]);
  });
}
