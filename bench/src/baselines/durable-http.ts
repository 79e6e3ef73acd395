import { ANSWER, announce, bareServer } from './answer.ts';
import { openRawPostgres, openRawSqlite } from './raw-inserts.ts';

const SQLITE = 'sqlite:';
const url = process.env['DATABASE_URL'] ?? '';
const database = url.startsWith(SQLITE)
  ? await openRawSqlite(url.slice(SQLITE.length))
  : await openRawPostgres(url);
/**
 * A click without all that makes it one: two rows that stand for it are committed before the answer. For `/commits/1000`
 * it makes so many commits without HTTP, and answers how many it made a second.
 */
const server = bareServer(async (path) => {
  const [, amount] = /^\/commits\/(\d+)$/.exec(path) ?? [];
  if (amount !== undefined) return await database.insert(Number(amount), 1);
  await database.insert(1, 1);
  return ANSWER;
});
announce(server.listen(0, '127.0.0.1'));
