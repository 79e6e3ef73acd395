import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deliverEmails } from '../../src/jobs/deliver-emails.ts';
import { MailRefused } from '../../src/mail/mailer.ts';
import { insertEmail } from '../../src/storage/accounts/emails.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { createTestMailer, type TestMailer } from '../support/test-mailer.ts';
import { makeWorld, type World } from '../support/world.ts';

const MINUTE = 60_000;
/** The job sends this many emails at the same time. */
const EMAILS_PER_TURN = 10;

export function emailFailureContract(open: OpenEngine): void {
  describe('an email that fails', () => {
    let world: World;
    let mailer: TestMailer;

    beforeEach(async () => {
      mailer = createTestMailer();
      // The new partners of the world have invitations in the queue.
      world = await makeWorld(await open(), {}, { mailer, publicUrl: 'https://affkit.test' });
    });
    afterEach(() => world.affkit.close());

    const recipients = () => mailer.accepted.map(({ to }) => to.address).sort();
    const deliver = async () => {
      while (await deliverEmails(world.affkit.runtime));
    };
    const listRows = (kind: string) =>
      world.engine.read
        .selectFrom('emails')
        .select(['status', 'attempts', 'last_error'])
        .where('kind', '=', kind as 'test')
        .execute();

    it('is stored with the reason of the refusal, even if the reason contains NUL', async () => {
      let attempts = 0;
      mailer.onSend = () => {
        attempts += 1;
        throw new MailRefused('550 \0');
      };
      await deliver();
      world.clock.now += 10 * MINUTE;
      await deliver();
      expect(attempts).toBe(2);
      const failed = { status: 'failed', attempts: 1, last_error: '550 \u{fffd}' };
      expect(await listRows('partner_invitation')).toEqual([failed, failed]);
    });

    it('does not delay other emails if it cannot be composed, and fails when it expires', async () => {
      const at = world.clock.now;
      for (let count = 0; count < EMAILS_PER_TURN; count++) {
        await world.engine.write(0, (tx) =>
          insertEmail(tx, {
            messageKey: `key-${count}`,
            // A newer version of Affkit has stored the email.
            kind: 'newer' as 'test',
            workspaceId: world.workspaceId,
            programId: null,
            recipient: 'member@shop.example',
            sealedToken: null,
            expiresAt: at + MINUTE,
            at,
          }),
        );
      }
      await deliver();
      expect(recipients()).toEqual(['anna@partner.example', 'ben@partner.example']);
      world.clock.now += MINUTE;
      await deliver();
      const rows = await listRows('newer');
      expect(rows).toHaveLength(EMAILS_PER_TURN);
      for (const row of rows) {
        expect(row).toMatchObject({ status: 'failed', last_error: 'Affkit could not compose the email.' });
      }
    });
  });
}
