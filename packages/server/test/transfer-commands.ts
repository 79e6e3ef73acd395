import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '@affkit/core';
import { onTestFinished } from 'vitest';
import { START } from '../../core/test/support/world.ts';
import { runCommand as runAndPrint } from '../src/commands/command-result.ts';
import { runExport } from '../src/commands/transfer/export-command.ts';
import { runImport } from '../src/commands/transfer/import-command.ts';

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-transfer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function runCommand(
  command: 'export',
  engine: Engine,
  options: { programId: number; folder: string },
): Promise<Output>;
export async function runCommand(
  command: 'import',
  engine: Engine,
  options: { workspaceId: number | null; folder: string },
): Promise<Output>;
export async function runCommand(
  command: 'export' | 'import',
  engine: Engine,
  {
    folder,
    programId = 0,
    workspaceId = null,
  }: { folder: string; programId?: number; workspaceId?: number | null },
): Promise<Output> {
  const written: string[] = [];
  const terminal = { env: {}, write: (part: string) => written.push(part), writeError: () => {} };
  const code = await runAndPrint({ json: true }, terminal, (output) =>
    command === 'export'
      ? runExport(engine, { programId, folder, now: START }, output)
      : runImport(engine, { folder, workspaceId }, output),
  );
  return { code, result: JSON.parse(written.join('')) as Record<string, unknown> };
}

interface Output {
  readonly code: number;
  readonly result: Record<string, unknown>;
}
