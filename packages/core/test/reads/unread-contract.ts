import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openPartnerWorld, type PartnerWorld } from '../support/partner-portal-world.ts';

interface List {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly unread_count: number; readonly pagination: { readonly total: number } };
}

export function unreadContract(kind: string, open: OpenEngine): void {
  describe(`unread notifications on ${kind}`, () => {
    let portal: PartnerWorld;

    beforeAll(async () => {
      portal = await openPartnerWorld(open);
      const { main, inMain } = portal;
      for (let count = 0; count < 3; count++) {
        await portal.refund(main, await portal.sell(main, inMain.code, 5000));
      }
      await portal.refund(main, await portal.sell(main, portal.robInMain.code, 5000));
      await portal.world.engine.write(main.owner.workspaceId, ({ db }) =>
        db
          .insertInto('notifications')
          .values(
            [1, 2].map((number) => ({
              workspace_id: main.owner.workspaceId,
              program_id: main.id,
              partner_id: null,
              kind: 'refund_parked' as const,
              dedupe_key: `parked ${number}`,
              payload: '{}',
              read_at: null,
              created_at: number,
            })),
          )
          .execute(),
      );
    });
    afterAll(() => portal.world.close());

    const figures = async (caller: { readonly token: string }, target: string) => {
      const { data, meta } = await portal.ask<List>(caller, target);
      return { rows: data.length, total: meta.pagination.total, unread: meta.unread_count };
    };

    test.each([
      ['a partner', '/api/partner/notifications', () => portal.pat, 3],
      ['an advertiser', '/api/advertiser/notifications', () => portal.main.owner, 2],
    ] as const)('are counted and listed until %s marks them as read', async (_who, path, caller, all) => {
      expect(await figures(caller(), path)).toEqual({ rows: all, total: all, unread: all });
      const { data } = await portal.ask<List>(caller(), `${path}?unread=1`);
      await portal.ask(caller(), `${path}/${data[0]?.id}/read`, 'POST');
      expect(await figures(caller(), `${path}?unread=1&pageSize=1`)).toEqual({
        rows: 1,
        total: all - 1,
        unread: all - 1,
      });
      expect(await figures(caller(), `${path}?unread=0`)).toEqual({ rows: all, total: all, unread: all - 1 });
      const markAll = () => portal.ask(caller(), `${path}/read-all`, 'POST', {});
      expect(await markAll()).toEqual({ success: true, data: { marked: all - 1 } });
      expect(await markAll()).toEqual({ success: true, data: { marked: 0 } });
      expect(await figures(caller(), `${path}?unread=1`)).toEqual({ rows: 0, total: 0, unread: 0 });
    });

    test('the notifications of another partner stay unread', async () => {
      expect(await figures(portal.rob, '/api/partner/notifications')).toEqual({
        rows: 1,
        total: 1,
        unread: 1,
      });
    });

    test('unread must be 0 or 1, and notifications of other workspaces cannot be marked as read', async () => {
      const { world, main, away, pat } = portal;
      const token = main.owner.token;
      expect(
        await world.call('GET', '/api/partner/notifications?unread=yes', { token: pat.token }),
      ).toMatchObject({
        status: 400,
        body: { error: 'unread must be one of 0, 1' },
      });
      const body = { workspace_id: away.owner.workspaceId };
      const path = '/api/advertiser/notifications/read-all';
      expect(await world.call('POST', path, { token, body })).toMatchObject({ status: 404 });
    });
  });
}
