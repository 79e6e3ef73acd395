import { expect, it } from 'vitest';
import { useApplicationWorld } from '../support/application-world.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { createTestMailer } from '../support/test-mailer.ts';

export function addressConfirmationContract(open: OpenEngine): void {
  const mailer = createTestMailer();
  const shop = useApplicationWorld(open, { mailer, publicUrl: 'https://affkit.test' });

  it.each(['approved', 'rejected'])(
    'the page says that the address is confirmed only after it is, even if the application is %s already',
    async (status) => {
      const email = shop.newEmail();
      await shop.publish({ auto_approve_domains: ['blog.example'] });
      await shop.apply({ email });
      await shop.world.affkit.jobs.runOnce();
      const [link = ''] = /\/api\/v1\/email\/\S+/.exec(mailer.lastTo(email).text) ?? [];
      const { path } = await shop.firstPartner();
      await shop.call('PUT', path, { status });
      const follow = async (method: string) => (await shop.world.call<string>(method, link)).body;
      const confirmedAt = async () =>
        (await shop.call<{ data: { application: { email_confirmed_at: unknown } } }>('GET', path)).body.data
          .application.email_confirmed_at;
      expect(await follow('GET')).toContain('<form method="post">');
      expect(await confirmedAt()).toBeNull();
      for (const method of ['POST', 'GET']) expect(await follow(method)).toContain(`has ${TEXTS[status]}`);
      expect(await confirmedAt()).toEqual(expect.any(String));
      expect((await shop.firstPartner()).data.status).toBe(status);
    },
  );
}

const TEXTS: Readonly<Record<string, string>> = { approved: 'approved', rejected: 'decided' };
