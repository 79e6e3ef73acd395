import { keepClickPartitions } from '../../src/storage/database/keep-click-partitions.ts';
import { SILENT } from '../support/silent-logger.ts';
import { openDatabase } from './open-database.ts';

export interface PartitionPlan {
  readonly url: string;
  readonly now: number;
}

const { url, now } = JSON.parse(process.argv[2] ?? '') as PartitionPlan;
const engine = openDatabase(url);
await keepClickPartitions(engine, now, SILENT);
await engine.close();
