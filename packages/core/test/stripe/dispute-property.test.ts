import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { disputeProperty } from './dispute-property.ts';

disputeProperty('SQLite', async () => sqliteEngine({ path: ':memory:' }), { short: 20, long: 2_000 });
