import type { EmailTemplate } from '@affkit/protocol';
import { HOUR_MS } from '../domain/calendar.ts';
import { queueEmail } from '../emails/queue-emails.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { countEmails, type EmailRow, findEmail } from '../storage/accounts/emails.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';

/** Enough to send each template once. */
const MAX_TESTS_PER_HOUR = 20;

/**
 * Queues an example email for the user who requests it.
 * @returns `email_not_set_up` without a mailer; `rate_limited` after 20 examples within an hour
 */
export async function sendTestEmail(
  runtime: Runtime,
  program: ProgramAccount,
  { recipient, template }: { readonly recipient: string; readonly template: EmailTemplate },
): Promise<EmailRow | Rejection> {
  if (runtime.mail === null) return new Rejection('email_not_set_up');
  const kind = 'test';
  return await runtime.engine.write(SERVICE_LANE, async (tx) => {
    const at = runtime.now();
    const recent = await countEmails(tx.db, { recipient, kinds: [kind], since: at - HOUR_MS });
    if (recent >= MAX_TESTS_PER_HOUR) {
      return new Rejection(
        'rate_limited',
        `You can send at most ${MAX_TESTS_PER_HOUR} test emails per hour. Try again later.`,
        { retryAfterSeconds: HOUR_MS / 1_000 },
      );
    }
    const id = await queueEmail(tx, runtime, {
      kind,
      workspaceId: program.workspaceId,
      programId: program.id,
      recipient,
      data: { template },
      // Do not send the example after this time, because nobody waits for it anymore.
      expiresAt: at + HOUR_MS,
    });
    return await findEmail(tx.db, id ?? 0);
  });
}
