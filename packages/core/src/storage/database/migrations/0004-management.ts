import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * A member can be invited before the user exists. Until the invitation is accepted, the row has no `user_id`, and
 * stores the invited email address and name.
 */
const MEMBERS = `
    id ROW_ID, workspace_id INT NOT NULL REFERENCES workspaces (id), user_id INT REFERENCES users (id),
    invited_email TEXT, invited_name TEXT,
    role TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')), created_at INT NOT NULL,
    UNIQUE (workspace_id, user_id), UNIQUE (workspace_id, invited_email),
    CHECK ((user_id IS NULL) = (invited_email IS NOT NULL))`;

const membersOnSqlite = [
  `CREATE TABLE new_members (${MEMBERS})`,
  `INSERT INTO new_members (id, workspace_id, user_id, role, created_at)
    SELECT id, workspace_id, user_id, role, created_at FROM members`,
  'DROP TABLE members',
  'ALTER TABLE new_members RENAME TO members',
  'CREATE INDEX members_by_user ON members (user_id)',
];

const membersOnPostgres = [
  'ALTER TABLE members ALTER COLUMN user_id DROP NOT NULL',
  'ALTER TABLE members ADD COLUMN invited_email TEXT, ADD COLUMN invited_name TEXT',
  'ALTER TABLE members ADD UNIQUE (workspace_id, invited_email)',
  'ALTER TABLE members ADD CHECK ((user_id IS NULL) = (invited_email IS NOT NULL))',
];

const management = [
  `CREATE TABLE invites (
    token_hash TEXT PRIMARY KEY, workspace_id INT NOT NULL REFERENCES workspaces (id),
    member_id INT REFERENCES members (id), partner_id INT REFERENCES partners (id), expires_at INT NOT NULL,
    created_at INT NOT NULL, CHECK ((member_id IS NULL) <> (partner_id IS NULL)))`,
  'CREATE INDEX invites_by_member ON invites (member_id) WHERE member_id IS NOT NULL',
  'CREATE INDEX invites_by_partner ON invites (partner_id) WHERE partner_id IS NOT NULL',
  'CREATE INDEX invites_by_expiry ON invites (expires_at)',
  `CREATE TABLE identities (
    issuer TEXT NOT NULL, subject TEXT NOT NULL, user_id INT NOT NULL REFERENCES users (id), ended_at INT,
    created_at INT NOT NULL, PRIMARY KEY (issuer, subject))`,
  `CREATE TABLE audit_log (
    id ROW_ID, workspace_id INT NOT NULL REFERENCES workspaces (id), program_id INT,
    actor_kind TEXT NOT NULL CHECK (actor_kind IN ('user', 'key', 'system')), actor_id INT, action TEXT NOT NULL,
    subject_kind TEXT NOT NULL, subject_id INT, state_before TEXT, state_after TEXT, request_id TEXT,
    created_at INT NOT NULL)`,
  'CREATE INDEX audit_log_by_workspace ON audit_log (workspace_id, id)',
  'CREATE INDEX commissions_by_time ON commissions (program_id, commission_at, id)',
  'CREATE INDEX sessions_by_user ON sessions (user_id)',
  'CREATE INDEX partners_by_user ON partners (user_id) WHERE user_id IS NOT NULL',
];

/** Adds invitations, external identities and the audit log. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const members = dialect === 'sqlite' ? membersOnSqlite : membersOnPostgres;
  await runMigrationStatements(db, dialect, [...members, ...management]);
}
