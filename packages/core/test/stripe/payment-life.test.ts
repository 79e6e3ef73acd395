import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { paymentLifeProperty } from './payment-life-property.ts';

paymentLifeProperty('SQLite', async () => sqliteEngine({ path: ':memory:' }), { short: 40, long: 1_500 });
