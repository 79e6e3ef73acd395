import { EMAIL_CATEGORIES, type EmailCategory } from '@affkit/protocol';
import type { OptOut } from '../access/email-link.ts';
import type { Runtime } from '../runtime.ts';
import { deleteOptOut, insertOptOut, listOptOuts } from '../storage/accounts/email-opt-outs.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';

/** For each category, whether the recipient gets its emails. */
export type EmailPreferences = Readonly<Record<EmailCategory, boolean>>;

/** Turns off the emails of a category for a recipient. Idempotent. */
export async function turnOffEmails(runtime: Runtime, optOut: OptOut): Promise<void> {
  await runtime.engine.write(SERVICE_LANE, (tx) => insertOptOut(tx, optOut, runtime.now()));
}

export async function readEmailPreferences(runtime: Runtime, email: string): Promise<EmailPreferences> {
  const off = await listOptOuts(runtime.engine.read, email);
  return {
    review_tasks: !off.includes('review_tasks'),
    commission_changes: !off.includes('commission_changes'),
    monthly_summary: !off.includes('monthly_summary'),
  };
}

/** Changes preferences of a recipient. Categories that are missing in the change keep their setting. */
export async function changeEmailPreferences(
  runtime: Runtime,
  email: string,
  change: { readonly [Category in EmailCategory]?: boolean | undefined },
): Promise<EmailPreferences> {
  const at = runtime.now();
  await runtime.engine.write(SERVICE_LANE, async (tx) => {
    for (const category of EMAIL_CATEGORIES) {
      const optOut = { category, recipient: email };
      if (change[category] === true) await deleteOptOut(tx, optOut);
      if (change[category] === false) await insertOptOut(tx, optOut, at);
    }
  });
  return await readEmailPreferences(runtime, email);
}
