import { expect, test } from 'vitest';
import { liveBytes } from '../../../test/support/heap.ts';
import type { LinkFacts } from '../database/click-store.ts';
import { PostgresClickStore } from './clicks-postgres.ts';
import { type LinkFactsRow, LinkReader } from './link-facts.ts';

const PROGRAMS = 2_000;
const ORIGINS = 1_000;

/** Returns a link of a program with `ORIGINS` allowed origins. A request body cannot contain many more. */
function linkOf(programId: number): LinkFactsRow {
  const origins = Array.from(
    { length: ORIGINS },
    (_, index) => `https://shop-${index}.of-${programId}.example`,
  );
  return {
    code: `code-${programId}`,
    shortLink: `Code-${programId}`,
    linkId: programId,
    programId,
    partnerId: 1,
    status: 'active',
    partnerProgramStatus: 'approved',
    deletedAt: null,
    cookieWindowDays: 30,
    attributionModel: 'last_click',
    allowedOrigins: JSON.stringify(origins),
    requireOrigin: 0,
    cookieDomain: null,
  };
}

test.each<[string, () => (link: LinkFactsRow) => Promise<LinkFacts | undefined>]>([
  [
    'a reader',
    () => {
      const reader = new LinkReader();
      return async (link) => reader.read(link);
    },
  ],
  [
    'a store that caches links',
    () => {
      let rows: unknown[] = [];
      const store = new PostgresClickStore({
        run: async () => ({ rows }),
        deferToCommit: async () => {},
        canRunSingleStatement: true,
        runSingleStatement: () => {},
        slot: 1,
        isDurableByDefault: true,
        isCluster: false,
      });
      return async (link) => {
        rows = [{ ...link, fingerprint: 'f' }];
        await store.load([link.code], []);
        return store.cache.get([link.code])?.links[0];
      };
    },
  ],
])('%s keeps less than half of the allowed origins of 2,000 programs in memory', async (_, open) => {
  const read = open();
  const size = JSON.stringify(linkOf(1)).length;
  const before = liveBytes();
  for (let programId = 1; programId <= PROGRAMS; programId++) await read(linkOf(programId));
  expect(liveBytes() - before).toBeLessThan((PROGRAMS * size) / 2);
  expect((await read(linkOf(1)))?.allowedOrigins).toHaveLength(ORIGINS);
});
