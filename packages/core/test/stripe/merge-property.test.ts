import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { mergeProperty } from './merge-property.ts';

mergeProperty('SQLite', async () => sqliteEngine({ path: ':memory:' }), { short: 30, long: 1_000 });
