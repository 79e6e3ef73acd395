import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { systemRuntime } from '@affkit/node';
import type { Call } from './plan.ts';
import type { Command, ProcessOptions } from './sender.ts';
import { STORES } from './stores.ts';

/**
 * Stores the calls that arrive as lines of JSON, and prints a line for each stored call. Usage:
 * `sender-process.ts <options as JSON>`.
 */
const { store: kind, path, clockAheadMs, ...options } = JSON.parse(process.argv[2] ?? '') as ProcessOptions;
const print = (line: string) => writeSync(1, `${line}\n`);
const runtime = { ...systemRuntime, now: () => Date.now() + clockAheadMs };
const store = STORES[kind](path, { ...options, logLevel: 'off', runtime }, () => print('halted'));

/** Stores the calls of a customer in order. Each call is made when the previous one has been stored. */
async function putInOrder(calls: readonly Call[]): Promise<void> {
  for (const call of calls) {
    await store.put(call);
    print(`stored ${call.id}`);
  }
}

async function drain(): Promise<void> {
  await store.flush();
  print(`drained, ${await store.close()} dead`);
}

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as Command;
  if (command === 'drain') void drain();
  else if (command === 'flush') void store.flush();
  else void putInOrder(command);
}
