import { ignitor } from './ignitor.ts';

await ignitor.httpServer().start();
