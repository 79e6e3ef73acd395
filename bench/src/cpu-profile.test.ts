import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readProfile } from './cpu-profile.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-profile-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  id,
  callFrame: { functionName, url },
  children,
});

test('attributes time to the package or folder of the running file, and native code to its caller', () => {
  const core = 'file:///app/packages/core/dist';
  const pnpm = 'file:///app/node_modules/.pnpm';
  const nodes = [
    node(1, '(root)', '', [2, 3, 4, 5, 7, 8, 9]),
    node(2, '(idle)', ''),
    node(3, '(garbage collector)', ''),
    node(4, 'save', `${core}/storage/engine/lane.js`, [6]),
    node(5, 'parse', `${pnpm}/zod@4/node_modules/zod/v4/core/parse.js`),
    node(6, 'run', ''),
    node(7, 'end', 'node:_http_outgoing'),
    node(8, 'createAffkit', `${core}/create-affkit.js`),
    node(9, 'format', `${pnpm}/x@1/node_modules/@scope/x/index.js`),
  ];
  const samples = [4, 2, 3, 4, 6, 5, 7, 8, 9, 4];
  const profile = { nodes, samples, timeDeltas: samples.map(() => 10), startTime: 1000 };
  writeFileSync(join(folder, 'CPU.cpuprofile'), JSON.stringify(profile));
  // The time range excludes the first and the last sample.
  expect(Object.fromEntries(readProfile(folder, { fromMicros: 1015, toMicros: 1095 }))).toEqual({
    'garbage collection': 10,
    '@affkit/core: storage': 20,
    zod: 10,
    'Node: HTTP, streams, the event loop': 10,
    '@affkit/core': 10,
    '@scope/x': 10,
  });
});
