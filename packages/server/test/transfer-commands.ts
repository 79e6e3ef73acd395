import type { Engine } from '@affkit/core';
import { START } from '../../core/test/support/world.ts';
import type { RunCommand } from '../src/commands/command-result.ts';
import { runExport } from '../src/commands/transfer/export-command.ts';
import { type ImportOptions, runImport } from '../src/commands/transfer/import-command.ts';
import { captureCommand } from './run-cli.ts';

/** Runs `affkit export --json`. */
export function runExportCommand(engine: Engine, options: { programId: number; folder: string }) {
  return captureJson((output) => runExport(engine, { ...options, now: START }, output));
}

/** Runs `affkit import --json`. */
export function runImportCommand(engine: Engine, options: ImportOptions) {
  return captureJson((output) => runImport(engine, options, output));
}

async function captureJson(command: RunCommand) {
  const { code, stdout } = await captureCommand(command, { json: true });
  return { code, result: JSON.parse(stdout) as Record<string, unknown> };
}
