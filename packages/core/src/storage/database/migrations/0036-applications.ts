import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * Adds the public pages of programs, applications of partners, and the reason for the status of an
 * enrollment.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await runMigrationStatements(db, dialect, [
    `CREATE TABLE program_pages (
      program_id INT NOT NULL PRIMARY KEY, is_published INT NOT NULL, description TEXT, terms TEXT, logo TEXT,
      accent_color TEXT, questions TEXT NOT NULL, embed_origins TEXT NOT NULL,
      auto_approve_domains TEXT NOT NULL, invitation_codes TEXT NOT NULL)`,
    `CREATE TABLE applications (
      program_id INT NOT NULL, partner_id INT NOT NULL, answers TEXT NOT NULL, invitation_code TEXT,
      approved_by TEXT, applied_at INT NOT NULL, PRIMARY KEY (program_id, partner_id))`,
    'ALTER TABLE partner_programs ADD COLUMN status_reason TEXT',
  ]);
}
