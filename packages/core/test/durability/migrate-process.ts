import { createInterface } from 'node:readline';
import { openDatabase } from './open-database.ts';

// Reads databases from stdin and migrates each of them. Exits when stdin closes.
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
