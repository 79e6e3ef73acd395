import { ignitor } from './ignitor.ts';

await ignitor.ace().handle(process.argv.slice(2));
