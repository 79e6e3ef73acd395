import { createInterface } from 'node:readline';
import { sqliteEngine } from '../../src/storage/engine/sqlite.ts';

// For each path that comes in: opens the file, migrates it, closes it. Ends when its parent does.
for await (const path of createInterface({ input: process.stdin })) {
  try {
    const engine = sqliteEngine({ path });
    await engine.migrate();
    await engine.close();
    console.log('migrated');
  } catch (error) {
    console.log(`failed: ${error}`);
  }
}
