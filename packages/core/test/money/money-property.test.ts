import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { moneyProperty } from './money-property.ts';

moneyProperty('SQLite', async () => [sqliteEngine({ path: ':memory:' })], { short: 12, long: 5_000 });
