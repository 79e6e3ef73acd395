import { describe, expect, it } from 'vitest';
import { RECEIVED, useApplicationWorld } from '../support/application-world.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { countStatuses } from '../support/management-world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const rejection = (status: number, code: string) => ({ status, body: { code } });

export function applicationSpamContract(open: OpenEngine): void {
  const shop = useApplicationWorld(open);
  const { publish, newIp, newEmail, loadForm, send, apply, listPartners } = shop;

  describe('spam', () => {
    it('is rejected if the form is too new, too old, or not signed', async () => {
      await publish();
      const email = newEmail();
      const early = await apply({ email, form_token: await loadForm(0) }, newIp());
      const token = await loadForm(0);
      const sent = await send({ email, form_token: token });
      expect(sent).toMatchObject(rejection(429, 'form_too_early'));
      expect(sent.headers).toMatchObject({ 'retry-after': '3' });
      expect(early.status).toBe(200);
      const aDay = 24 * 60 * MINUTE + SECOND;
      shop.world.clock.now += aDay;
      const invalid = [token, 'nothing', '', `${shop.world.clock.now - 5 * SECOND}.AAAA`, '1'.repeat(250)];
      for (const form_token of invalid) {
        expect(await send({ email: newEmail(), form_token })).toMatchObject(
          rejection(400, 'form_token_invalid'),
        );
      }
      shop.world.clock.now -= aDay;
      expect(await listPartners()).toHaveLength(1);
    });

    it('an application with a filled-in hidden field gets the usual reply, but is not stored', async () => {
      await publish();
      expect(await apply({ email: newEmail(), homepage: 'https://spam.example' })).toMatchObject(RECEIVED);
      expect(await apply({ email: newEmail(), homepage: '' })).toMatchObject(RECEIVED);
      expect(await listPartners()).toHaveLength(1);
    });

    it('applications are limited per network', async () => {
      await publish();
      const form_token = await loadForm();
      const statuses: number[] = [];
      for (let sent = 0; sent < 12; sent++) {
        const { status } = await send({ email: newEmail(), form_token }, `2001:db8:0:7::${sent}`);
        statuses.push(status);
      }
      expect(statuses).toEqual([...Array<number>(10).fill(200), 429, 429]);
      expect((await send({ email: newEmail(), form_token }, '2001:db8:0:8::1')).status).toBe(200);
      shop.world.clock.now += 15 * MINUTE + SECOND;
      expect((await send({ email: newEmail(), form_token }, '2001:db8:0:7::1')).status).toBe(200);
    });

    it('a program accepts 200 applications in 15 minutes, and rejected ones do not count', async () => {
      await publish();
      const form_token = await loadForm();
      const sendMany = async (count: number, first: number) => {
        const networks = Array.from({ length: count }, (_, index) => (first + index).toString(16));
        const replies = await Promise.all(
          networks.map((network) => send({ email: newEmail(), form_token }, `2001:db8:${network}::1`)),
        );
        return countStatuses(replies);
      };
      shop.verify = () => false;
      expect(await sendMany(201, 0)).toEqual({ 400: 201 });
      shop.verify = () => true;
      expect(await sendMany(201, 300)).toEqual({ 200: 200, 429: 1 });
      expect(await listPartners()).toHaveLength(10);
      shop.world.clock.now += 15 * MINUTE + SECOND;
      expect((await apply({ email: newEmail() })).status).toBe(200);
    });

    it('is not stored if the check of the embedding app returns false or throws', async () => {
      await publish();
      const email = newEmail();
      shop.verify = () => false;
      expect(await apply({ email })).toMatchObject(rejection(400, 'application_not_verified'));
      shop.verify = () => Promise.reject(new Error('The captcha service is down'));
      expect(await apply({ email })).toMatchObject(rejection(503, 'unavailable'));
      expect(await listPartners()).toEqual([]);
    });
  });
}
