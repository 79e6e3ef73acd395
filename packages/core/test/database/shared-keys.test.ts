import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openMigrated } from '../support/migrated-sqlite.ts';
import { findMemoryFolder } from '../support/temp-folder.ts';

/**
 * A key that begins with one of these columns is unique only within that workspace, program, connection or
 * user.
 */
const OWNERS = ['workspace_id', 'program_id', 'connection_id', 'user_id'];

/**
 * The keys that are unique in the whole service, apart from generated ids. The text says why one company cannot
 * use up values that another company needs. Before you add a key, check whether a company could use up its values.
 */
const SHARED_KEYS: Readonly<Record<string, string>> = {
  'affkit_migrations (name)': 'set by migrations',
  'api_keys (key_hash)': 'the hash of random bytes',
  'email_opt_outs (recipient, category)':
    'emails to an address can be turned off only with a link in an email to this address',
  'email_schedules (kind, owner_id)': 'the owner is a program or a workspace',
  'emails (dedupe_key)': 'contains the id of a program or workspace',
  'emails (message_key)': 'random',
  'emails (recipient)':
    'at most one queued password reset per address. Its email always goes to that address',
  'identities (issuer, subject)': 'from a verified token of the operator’s identity provider',
  'invites (token_hash)': 'the hash of random bytes',
  'link_directory (short_link)':
    'codes are public names, and generated codes are random. If a page sends its program id, codes of other programs are ignored',
  'notifications (dedupe_key)': 'each key contains the id of the workspace or the program',
  'program_import_partners (import_id, source_id)': 'ids of this table’s own imports',
  'program_imports (export_id)': 'random, and only the operator imports programs, on the command line',
  'programs (slug)':
    'slugs are public names in the URLs of program pages. The first program keeps its slug, and a generated slug that is taken gets a suffix',
  'service_settings (name)': 'set by the operator',
  'sessions (token_id)': 'random',
  'one_time_codes (code_hash)': 'the hash of random bytes',
  'tracking_tokens (token_hash)': 'the hash of random bytes',
  'transaction_directory (processor_event_id)':
    'required by the API contract. With TRANSACTION_IDS=workspace, only ids of the processor must be unique, and a webhook appends a suffix to an id that is taken',
  'users (email)': 'an address belongs to one person, who proves it by an invitation or a verified token',
};

test('only the listed keys are unique in the whole service', async () => {
  const folder = mkdtempSync(join(findMemoryFolder(), 'affkit-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'keys.db');
  await (await openMigrated(path)).close();
  const database = new BetterSqlite3(path, { readonly: true });
  onTestFinished(() => void database.close());
  const rows = database
    .prepare<[], { key: string; first: string }>(
      `SELECT tables.name || ' (' || group_concat(columns.name, ', ') || ')' AS key, min(columns.seqno),
         columns.name AS first
       FROM sqlite_master AS tables
       JOIN pragma_index_list(tables.name) AS indexes
       JOIN pragma_index_info(indexes.name) AS columns
       WHERE tables.type = 'table' AND indexes."unique" = 1
       GROUP BY tables.name, indexes.name`,
    )
    .all();
  const shared = rows.filter(({ first }) => !OWNERS.includes(first)).map(({ key }) => key);
  expect(shared.sort()).toEqual(Object.keys(SHARED_KEYS).sort());
});
