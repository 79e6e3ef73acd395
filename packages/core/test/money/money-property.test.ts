import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { moneyProperty } from './money-property.ts';

/** The default is a sample. `AFFKIT_MONEY_RUNS=5000` runs as many as docs/guarantees.md states. */
const RUNS = Number(process.env['AFFKIT_MONEY_RUNS'] ?? 60);

moneyProperty('SQLite', async () => [sqliteEngine({ path: ':memory:' })], RUNS);
