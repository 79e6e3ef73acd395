import { createInterface } from 'node:readline';
import { openDatabase } from './open-database.ts';

// For each database that comes in: opens it, migrates it, closes it. Ends when its parent does.
for await (const database of createInterface({ input: process.stdin })) {
  try {
    const engine = openDatabase(database);
    await engine.migrate();
    await engine.close();
    console.log('migrated');
  } catch (error) {
    console.log(`failed: ${error}`);
  }
}
