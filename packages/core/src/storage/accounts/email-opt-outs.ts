import type { EmailCategory } from '@affkit/protocol';
import type { Kysely } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** Lists the email categories that the recipient has turned off. */
export async function listOptOuts(db: Kysely<Schema>, recipient: string): Promise<EmailCategory[]> {
  const rows = await db
    .selectFrom('email_opt_outs')
    .select('category')
    .where('recipient', '=', recipient)
    .execute();
  return rows.map(({ category }) => category);
}

/** Turns off the emails of a category for the recipient. Idempotent. */
export async function insertOptOut(
  tx: Transaction,
  optOut: { readonly recipient: string; readonly category: EmailCategory },
  at: number,
): Promise<void> {
  await tx.db
    .insertInto('email_opt_outs')
    .values({ ...optOut, created_at: at })
    .onConflict((conflict) => conflict.columns(['recipient', 'category']).doNothing())
    .execute();
}

/** Turns the emails of a category on again. Idempotent. */
export async function deleteOptOut(
  tx: Transaction,
  { recipient, category }: { readonly recipient: string; readonly category: EmailCategory },
): Promise<void> {
  await tx.db
    .deleteFrom('email_opt_outs')
    .where('recipient', '=', recipient)
    .where('category', '=', category)
    .execute();
}
