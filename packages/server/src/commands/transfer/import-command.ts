import { randomBytes } from 'node:crypto';
import {
  type Clash,
  type Engine,
  ImportClash,
  type ImportResult,
  importProgram,
  listWorkspaces,
  TransferError,
} from '@affkit/core';
import { CommandError, type CommandOutput, type CommandResult } from '../command-result.ts';
import { countOf } from '../count-of.ts';
import { openExport } from './export-folder.ts';

export interface ImportOptions {
  readonly folder: string;
  /** The workspace that gets the program. Null selects the only workspace of the database. */
  readonly workspaceId: number | null;
}

/** The number of clashes to list. Further clashes are only counted. */
const SHOWN_CLASHES = 20;

/**
 * Imports an exported program. You can run the command while the server is running. If it is interrupted, run it
 * again. If exported values must be unique but exist already (clashes), the command lists them, changes nothing, and
 * exits with code 1.
 * @throws CommandError if the program cannot be imported for another reason
 */
export async function runImport(
  engine: Engine,
  { folder, workspaceId }: ImportOptions,
  { progress }: CommandOutput,
): Promise<CommandResult> {
  try {
    const workspace = workspaceId ?? (await findOnlyWorkspace(engine));
    progress.show('Verifying the files', 0);
    const source = await openExport(folder);
    const total = source.manifest.files.reduce((sum, { rows }) => sum + rows, 0);
    const result = await importProgram(
      { engine, randomBytes },
      source,
      { workspaceId: workspace, now: Date.now },
      (rows) => progress.show('Importing', rows / Math.max(total, 1)),
    );
    return { exitCode: 0, data: toJson(result), lines: describeResult(result) };
  } catch (error) {
    if (error instanceof ImportClash) return describeClashes(error);
    if (!(error instanceof TransferError)) throw error;
    throw new CommandError(error.message, { cause: error });
  }
}

function describeClashes({ message, clashes }: ImportClash): CommandResult {
  return {
    exitCode: 1,
    data: { error: message, clashes: clashes.map(clashToJson) },
    lines: [
      `${message}:`,
      ...clashes.slice(0, SHOWN_CLASHES).map(describeClash),
      ...(clashes.length > SHOWN_CLASHES ? [`and ${clashes.length - SHOWN_CLASHES} more`] : []),
    ],
  };
}

async function findOnlyWorkspace(engine: Engine): Promise<number> {
  const [first, ...others] = await listWorkspaces({ engine });
  if (!first) throw new TransferError('The database has no workspace. Start the server once');
  if (others.length === 0) return first.id;
  const names = [first, ...others].map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new TransferError(`The database has several workspaces. Pass --workspace with one of them: ${names}`);
}

function toJson({ programId, outcome, trackingToken, hasNewId, rows }: ImportResult) {
  return {
    program_id: programId,
    outcome,
    rows,
    tracking_token: trackingToken,
    has_new_id: hasNewId,
  };
}

function describeResult({ programId, outcome, trackingToken, hasNewId, rows }: ImportResult): string[] {
  if (outcome === 'already_imported') {
    return [`The export was imported already as program ${programId}. Nothing was changed`];
  }
  return [
    `Imported program ${programId}: ${countOf(rows, 'row')}. All rows match the export, and the ledger is consistent`,
    ...(hasNewId
      ? [
          'The program has a new id, but browsers have stored click ids that contain the old one. Report leads and sales of these visitors with the tracking token',
        ]
      : []),
    `Tracking token, which is not shown again: ${trackingToken}`,
  ];
}

function clashToJson({ kind, value, programId }: Clash) {
  return { kind, value, program_id: programId };
}

function describeClash({ kind, value, programId }: Clash): string {
  return `${kind} ${value}${programId === null ? '' : ` of program ${programId}`}`;
}
