import { maintainClickPartitions } from '../../src/storage/database/maintain-click-partitions.ts';
import { SILENT } from '../support/silent-logger.ts';
import { openDatabase } from './open-database.ts';

export interface PartitionPlan {
  readonly url: string;
  readonly now: number;
}

const { url, now } = JSON.parse(process.argv[2] ?? '') as PartitionPlan;
const engine = openDatabase(url);
await maintainClickPartitions(engine, now, SILENT);
await engine.close();
