import type { Engine } from '../../src/storage/database/engine/engine.ts';

/**
 * Matches the secrets of all tests: tokens, hashes, Stripe keys and secrets, passwords, codes, and accounts.
 */
const SECRETS =
  /\baff[kirs]?_[0-9A-Za-z]{36}|argon2|"[0-9a-f]{64}"|whsec_|\b[sr]k_(?:test|live)_|correct horse|SPRING|DE8937|GB33BUKB|acct_1N|@(?:paypal|wise)\.test|a-secret-of-/;

/** @throws when a row of the audit log contains a secret */
export async function requireNoSecretsInAuditLog({ read }: Engine): Promise<void> {
  const rows = await read
    .selectFrom('audit_log')
    .select(['action', 'state_before', 'state_after'])
    .orderBy('id')
    .execute();
  const row = rows.find(({ state_before, state_after }) => SECRETS.test(`${state_before} ${state_after}`));
  if (row) throw new Error(`The audit log contains a secret: ${JSON.stringify(row)}`);
}
