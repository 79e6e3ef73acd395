import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { renewalOrderProperty } from './renewal-order-property.ts';

renewalOrderProperty('SQLite', async () => sqliteEngine({ path: ':memory:' }), { short: 25, long: 500 });
