import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { queueMonthlySummaries } from '../../src/jobs/recurring-emails.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { createTestMailer } from '../support/test-mailer.ts';
import { addProgram, makeWorld, type World } from '../support/world.ts';

/** More turns than the job needs for a few programs. */
const MAX_TURNS = 10;

export function recurringEmailContract(open: OpenEngine): void {
  describe('monthly summaries', () => {
    let world: World;

    beforeEach(async () => {
      const options = { mailer: createTestMailer(), publicUrl: 'https://affkit.test' };
      world = await makeWorld(await open(), {}, options);
    });
    afterEach(() => world.affkit.close());

    it('continue with the other programs after a clock that was a month ahead is corrected', async () => {
      const { program } = await addProgram(world, world.workspaceId, 'zoe');
      await world.click('zoe', { affiliate_url: 'https://other.example/?aff=zoe' });
      world.clock.now = Date.UTC(2026, 6, 2, 12);
      // While the clock was ahead, a process stored only some summaries of July.
      const interrupted = {
        kind: 'monthly_summary',
        owner_id: world.program.id,
        period: '2026-07',
        next_id: 1,
      } as const;
      await world.engine.write(0, (tx) => tx.db.insertInto('email_schedules').values(interrupted).execute());
      let turns = 0;
      while (turns < MAX_TURNS && (await queueMonthlySummaries(world.affkit.runtime))) turns += 1;
      expect(turns).toBeLessThan(MAX_TURNS);
      const emails = await world.engine.read
        .selectFrom('emails')
        .select(['program_id', 'recipient'])
        .where('kind', '=', 'monthly_summary')
        .execute();
      expect(emails).toEqual([{ program_id: program.id, recipient: 'zoe@partner.example' }]);
    });
  });
}
