import { type Kysely, sql } from 'kysely';

/** Normalizes each stored `site_url` as browsers do. New programs already store this form. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: number; site_url: string }>`SELECT id, site_url FROM programs`.execute(db);
  for (const { id, site_url } of rows) {
    const href = URL.parse(site_url)?.href;
    if (href === undefined || href === site_url) continue;
    await sql`UPDATE programs SET site_url = ${href} WHERE id = ${id}`.execute(db);
  }
}
