#!/usr/bin/env node
import { VERSION } from './version.ts';

const USAGE =
  'affkit-server accepts no arguments. Configure it with environment variables, see docs/guides/operating.md.';
const [firstArgument] = process.argv.slice(2);
if (firstArgument === '--version') {
  console.log(VERSION);
  process.exit(0);
}
if (firstArgument !== undefined) {
  const isHelp = firstArgument === '--help' || firstArgument === '-h';
  (isHelp ? console.log : console.error)(USAGE);
  process.exit(isHelp ? 0 : 2);
}

// Load the server only now, so that the version or the usage is printed without delay.
await import('./serve.ts');
