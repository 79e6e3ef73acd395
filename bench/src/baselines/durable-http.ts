import { CLICK_RESPONSE, createBareServer, reportListening } from './bare-server.ts';
import { openRawPostgres, openRawSqlite } from './raw-inserts.ts';

const SQLITE = 'sqlite:';
const url = process.env['DATABASE_URL'] ?? '';
const database = url.startsWith(SQLITE)
  ? await openRawSqlite(url.slice(SQLITE.length))
  : await openRawPostgres(url);
/**
 * A server that writes two of the seven rows of a click before each response, and commits them. It does none of the
 * other work that Affkit does for a click.
 * `/commits/1000` makes 1,000 commits within one request and returns the number of commits per second.
 */
const server = createBareServer(async (path) => {
  const [, amount] = /^\/commits\/(\d+)$/.exec(path) ?? [];
  if (amount !== undefined) return await database.insert(Number(amount), 1);
  await database.insert(1, 1);
  return CLICK_RESPONSE;
});
reportListening(server.listen(0, '127.0.0.1'));
