import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { addMember } from '../../src/management/members.ts';
import { isRejection } from '../../src/rejection.ts';
import { migratedInMemory } from '../support/migrated-sqlite.ts';
import { makeWorld } from '../support/world.ts';

test.each([1, 2, 3])(
  'returns the existing member when another request adds it after query %i',
  async (queries) => {
    const world = await makeWorld(await migratedInMemory());
    const { runtime } = world.affkit;
    const { id: userId } = await runtime.engine.read
      .selectFrom('users')
      .select('id')
      .executeTakeFirstOrThrow();
    const add = (engine = runtime.engine) =>
      addMember(
        { ...runtime, engine },
        { workspaceId: world.workspaceId, userId },
        { email: 'mia@shop.test', name: 'Mia', role: 'member', password: 'long enough' },
      );
    let seen = 0;
    const addAfterQueries: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        seen += 1;
        if (seen === queries) await add();
        return result;
      },
    };
    const read = runtime.engine.read.withPlugin(addAfterQueries);
    const second = await add(Object.create(runtime.engine, { read: { value: read } }));
    expect(isRejection(second) || second).toMatchObject({ isNew: false, member: { email: 'mia@shop.test' } });
    await world.affkit.close();
  },
);
