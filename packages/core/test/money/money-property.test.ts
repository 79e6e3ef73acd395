import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { moneyProperty } from './money-property.ts';

/** The suite runs a part; `AFFKIT_MONEY_RUNS=5000` runs what the guarantee speaks of. */
const RUNS = Number(process.env['AFFKIT_MONEY_RUNS'] ?? 60);

moneyProperty('SQLite', async () => [sqliteEngine({ path: ':memory:' })], RUNS);
