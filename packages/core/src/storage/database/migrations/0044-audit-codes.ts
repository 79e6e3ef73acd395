import { type Kysely, sql } from 'kysely';

/** Replaces invitation codes in the audit log with their count. Earlier versions recorded the codes themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: number; state_before: string | null; state_after: string | null }>`
    SELECT id, state_before, state_after FROM audit_log WHERE action = 'program.update_page'`.execute(db);
  for (const { id, state_before, state_after } of rows) {
    const [before, after] = [withoutCodes(state_before), withoutCodes(state_after)];
    if (before === state_before && after === state_after) continue;
    await sql`UPDATE audit_log SET state_before = ${before}, state_after = ${after} WHERE id = ${id}`.execute(
      db,
    );
  }
}

function withoutCodes(text: string | null): string | null {
  const state: Record<string, unknown> | null = text === null ? null : JSON.parse(text);
  const codes = state?.['invitation_codes'];
  return Array.isArray(codes) ? JSON.stringify({ ...state, invitation_codes: codes.length }) : text;
}
