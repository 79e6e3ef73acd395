import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { up as addTracking } from '../../src/storage/database/migrations/0001-tracking.ts';
import { up as addCommitMarkers } from '../../src/storage/database/migrations/0002-commit-markers.ts';
import type { Dialect } from '../../src/storage/database/migrations/dialect.ts';
import { migrate } from '../../src/storage/database/migrations/migrate.ts';
import type { Schema } from '../../src/storage/database/schema.ts';
import { findLinkByCode } from '../../src/storage/programs/links.ts';

/** An empty database, closed when the test has finished. */
export type OpenDatabase = () => Promise<Kysely<Schema>>;

export function migrationContract(dialect: Dialect, open: OpenDatabase): void {
  test(`the migration that allows sales of 0 keeps the amounts of existing sales, on ${dialect}`, async () => {
    const db = await open();
    const untyped = db as unknown as Kysely<unknown>;
    await addTracking(untyped, dialect);
    await addCommitMarkers(untyped, dialect);
    await sql`CREATE TABLE affkit_migrations (name TEXT PRIMARY KEY)`.execute(untyped);
    await sql`INSERT INTO affkit_migrations (name) VALUES ('0001-tracking'), ('0002-commit-markers')`.execute(
      untyped,
    );
    const add = (id: string, amount: number) =>
      sql`INSERT INTO sales (program_id, processor_event_id, amount_cents, currency, sale_type, payment_status,
        is_recurring, is_test, sale_at, created_at)
        VALUES (1, ${id}, ${amount}, 'USD', 'payment', 'paid', 0, 0, 1, 1)`.execute(untyped);
    await add('t1', 1999);
    await expect(add('t2', 0)).rejects.toThrow(/check/i);
    await migrate(db, dialect);
    await add('t2', 0);
    await expect(add('t3', -1)).rejects.toThrow(/check/i);
    const rows = await db.selectFrom('sales').select(['processor_event_id', 'amount_cents']).execute();
    expect(rows).toEqual([
      { processor_event_id: 't1', amount_cents: 1999 },
      { processor_event_id: 't2', amount_cents: 0 },
    ]);
  });

  test(`converts a code to lower case unless the result is taken; each code still finds its link, on ${dialect}`, async () => {
    const db = await open();
    await migrate(db, dialect);
    await sql`DELETE FROM affkit_migrations WHERE name = '0032-folded-codes'`.execute(db);
    await sql`INSERT INTO workspaces (id, name, created_at) VALUES (1, 'Shop', 1)`.execute(db);
    await sql`INSERT INTO programs (id, workspace_id, name, slug, site_url, status, cookie_window_days,
      attribution_model, hold_days, currency, allowed_origins, browser_leads, api_token_masked, created_at)
      VALUES (1, 1, 'Shop', 'shop', 'https://shop.example', 'live', 60, 'last_click', 0, 'USD', '[]', 'all', '', 1)`.execute(
      db,
    );
    const codes = ['Alice', 'alice', 'BOB', 'Carl', 'CARL', 'cARL', 'dora', 'I-9'];
    for (const [index, short_link] of codes.entries()) {
      // `CARL` is the oldest of the three links whose codes differ only in case.
      const created_at = short_link === 'CARL' ? 1 : 2;
      await sql`INSERT INTO links (program_id, id, short_link, status, created_at)
        VALUES (1, ${index + 1}, ${short_link}, 'active', ${created_at})`.execute(db);
      await db
        .insertInto('link_directory')
        .values({ short_link, program_id: 1, link_id: index + 1 })
        .execute();
    }
    await migrate(db, dialect);
    const listed = await db.selectFrom('link_directory').selectAll().orderBy('link_id').execute();
    expect(listed.map((row) => row.short_link)).toEqual([
      ...['Alice', 'alice', 'bob', 'Carl', 'carl', 'cARL', 'dora', 'i-9'],
    ]);
    for (const [index, code] of codes.entries()) {
      expect(await findLinkByCode(db, code)).toMatchObject({ id: index + 1 });
    }
    const spelled = await db.selectFrom('links').select('short_link').orderBy('id').execute();
    expect(spelled.map((row) => row.short_link)).toEqual(codes);
  });

  test(`removes invitation codes from the audit log, on ${dialect}`, async () => {
    const db = await open();
    await migrate(db, dialect);
    await sql`DELETE FROM affkit_migrations WHERE name = '0044-audit-codes'`.execute(db);
    await sql`INSERT INTO workspaces (id, name, created_at) VALUES (1, 'Shop', 1)`.execute(db);
    const states = [
      ['program.update_page', '{"invitation_codes":[]}', '{"invitation_codes":["SPRING","FALL"]}'],
      ['program.update_page', '{"terms":null}', '{"terms":"invitation_codes"}'],
      ['program.update', null, '{"name":"Shop"}'],
    ];
    for (const [action, before, after] of states) {
      await sql`INSERT INTO audit_log (workspace_id, actor_kind, action, subject_kind, subject_id, state_before,
        state_after, created_at) VALUES (1, 'system', ${action}, 'program', 1, ${before}, ${after}, 1)`.execute(
        db,
      );
    }
    await migrate(db, dialect);
    const rows = db.selectFrom('audit_log').select(['state_before', 'state_after']).orderBy('id');
    expect(await rows.execute()).toEqual([
      { state_before: '{"invitation_codes":0}', state_after: '{"invitation_codes":2}' },
      { state_before: '{"terms":null}', state_after: '{"terms":"invitation_codes"}' },
      { state_before: null, state_after: '{"name":"Shop"}' },
    ]);
  });

  test(`keeps members that were added before the invitations migration, on ${dialect}`, async () => {
    const db = await open();
    const untyped = db as unknown as Kysely<unknown>;
    await addTracking(untyped, dialect);
    await addCommitMarkers(untyped, dialect);
    await sql`CREATE TABLE affkit_migrations (name TEXT PRIMARY KEY)`.execute(untyped);
    await sql`INSERT INTO affkit_migrations (name) VALUES ('0001-tracking'), ('0002-commit-markers')`.execute(
      untyped,
    );
    const user = { email: 'a@shop.test', name: 'A', password_hash: 'h', created_at: 1 };
    const { id: userId } = await db
      .insertInto('users')
      .values(user)
      .returning('id')
      .executeTakeFirstOrThrow();
    const { id: workspaceId } = await db
      .insertInto('workspaces')
      .values({ name: 'Shop', created_at: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    const { rows } = await sql<{ id: number }>`INSERT INTO members (workspace_id, user_id, role, created_at)
      VALUES (${workspaceId}, ${userId}, 'owner', 7) RETURNING id`.execute(untyped);
    const member = {
      id: rows[0]?.id,
      workspace_id: workspaceId,
      user_id: userId,
      role: 'owner',
      created_at: 7,
      invited_email: null,
      invited_name: null,
    };

    await migrate(db, dialect);
    await migrate(db, dialect);
    expect(await db.selectFrom('members').selectAll().execute()).toEqual([member]);
    const invited = {
      workspace_id: workspaceId,
      user_id: null,
      invited_email: 'b@shop.test',
      invited_name: 'B',
      role: 'member' as const,
      created_at: 8,
    };
    const added = await db.insertInto('members').values(invited).returning('id').executeTakeFirstOrThrow();
    expect(added.id).not.toBe(member.id);
    const add = (values: { user_id?: number; invited_email?: string }) =>
      db
        .insertInto('members')
        .values({ ...invited, ...values })
        .execute();
    await expect(add({})).rejects.toThrow(/unique/i);
    await expect(add({ user_id: userId, invited_email: 'c@shop.test' })).rejects.toThrow(/constraint/i);
  });

  test(`keeps existing sessions, and gives each of them an id that is not secret, on ${dialect}`, async () => {
    const db = await open();
    const untyped = db as unknown as Kysely<unknown>;
    await addTracking(untyped, dialect);
    await addCommitMarkers(untyped, dialect);
    await sql`CREATE TABLE affkit_migrations (name TEXT PRIMARY KEY)`.execute(untyped);
    await sql`INSERT INTO affkit_migrations (name) VALUES ('0001-tracking'), ('0002-commit-markers')`.execute(
      untyped,
    );
    await sql`INSERT INTO users (email, name, password_hash, created_at)
      VALUES ('a@shop.test', 'A', 'h', 1)`.execute(untyped);
    await sql`INSERT INTO sessions (id, user_id, expires_at, created_at)
      VALUES ('second', 1, 9, 3), ('first', 1, 8, 2)`.execute(untyped);
    await migrate(db, dialect);
    const common = { user_id: 1, device: null, renewable_until: null };
    expect(await db.selectFrom('sessions').selectAll().orderBy('id').execute()).toEqual([
      { id: 1, token_id: 'first', expires_at: 8, last_used_at: 2, created_at: 2, ...common },
      { id: 2, token_id: 'second', expires_at: 9, last_used_at: 3, created_at: 3, ...common },
    ]);
    const twice = { token_id: 'first', user_id: 1, expires_at: 9, last_used_at: 1, created_at: 1 };
    await expect(db.insertInto('sessions').values(twice).execute()).rejects.toThrow(/unique/i);
  });

  test(`stores the site_url of existing programs as browsers write it, on ${dialect}`, async () => {
    const db = await open();
    await migrate(db, dialect);
    const { id: workspace_id } = await db
      .insertInto('workspaces')
      .values({ name: 'Shop', created_at: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    for (const [slug, site_url] of [
      ['a', 'https:\\\\shop.example\\a'],
      ['b', 'ht\ntps://shop.example'],
      ['c', 'https://shop.example/c'],
    ] as const) {
      await sql`INSERT INTO programs (workspace_id, name, slug, site_url, status, cookie_window_days,
        attribution_model, hold_days, currency, allowed_origins, browser_leads, api_token_masked, created_at)
        VALUES (${workspace_id}, 'P', ${slug}, ${site_url}, 'live', 60, 'last_click', 0, 'USD', '[]', 'all', 'm', 1)
      `.execute(db);
    }
    await sql`DELETE FROM affkit_migrations WHERE name = '0014-site-urls'`.execute(db);
    await migrate(db, dialect);
    const programs = await db.selectFrom('programs').select('site_url').orderBy('slug').execute();
    expect(programs.map(({ site_url }) => site_url)).toEqual([
      'https://shop.example/a',
      'https://shop.example/',
      'https://shop.example/c',
    ]);
  });

  test(`marks passwords as temporary only if an owner has set them, on ${dialect}`, async () => {
    const db = await open();
    const untyped = db as unknown as Kysely<unknown>;
    await migrate(db, dialect);
    await sql`DELETE FROM affkit_migrations WHERE name = '0017-sign-in-limits'`.execute(untyped);
    await sql`ALTER TABLE users DROP COLUMN password_is_temporary`.execute(untyped);
    const { id: workspaceId } = await db
      .insertInto('workspaces')
      .values({ name: 'Shop', created_at: 1 })
      .returning('id')
      .executeTakeFirstOrThrow();
    const addUser = async (email: string, isOwn: 0 | 1, wasAddedWithPassword: boolean) => {
      const user = { email, name: 'A "user_id":null', password_hash: 'h', created_at: 1 };
      const { id } = await db
        .insertInto('users')
        .values({ ...user, password_is_own: isOwn })
        .returning('id')
        .executeTakeFirstOrThrow();
      const state = { email, name: user.name, role: 'admin', user_id: wasAddedWithPassword ? id : null };
      await db
        .insertInto('audit_log')
        .values({
          workspace_id: workspaceId,
          program_id: null,
          actor_kind: 'user',
          actor_id: 1,
          action: 'member.create',
          subject_kind: 'member',
          subject_id: 1,
          state_before: null,
          state_after: JSON.stringify(state),
          request_id: null,
          created_at: 1,
        })
        .execute();
    };
    await addUser('set-by-owner@shop.test', 0, true);
    await addUser('invited@shop.test', 0, false);
    await addUser('reset-by-operator@shop.test', 1, true);

    await migrate(db, dialect);
    const marked = await db
      .selectFrom('users')
      .select('email')
      .where('password_is_temporary', '=', 1)
      .execute();
    expect(marked).toEqual([{ email: 'set-by-owner@shop.test' }]);
  });

  test(`rejects a database that a newer version has migrated, on ${dialect}`, async () => {
    const db = await open();
    await migrate(db, dialect);
    await sql`INSERT INTO affkit_migrations (name) VALUES ('9999-newer')`.execute(db);
    await expect(migrate(db, dialect)).rejects.toThrow(
      'A newer version of Affkit has migrated the database (9999-newer). Start that version, or restore a backup.',
    );
  });
}
