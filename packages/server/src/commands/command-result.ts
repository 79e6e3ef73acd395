import { inspect } from 'node:util';
import { ConfigError } from '../config-error.ts';
import { openProgressBar, type Progress } from './progress-bar.ts';
import type { Terminal } from './terminal.ts';

/** What a command found or did. `runCommand` prints it: as JSON for scripts, or as text for people. */
export interface CommandResult {
  /** The exit code of the process: 1 if something is wrong. */
  readonly exitCode: 0 | 1;
  /** The document that `--json` prints. It contains everything that the text says. */
  readonly data: unknown;
  readonly lines: readonly string[];
}

/** Thrown when a command cannot do its work, for example because an id is unknown. The message says why. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

/** What a long-running command reports before its result. */
export interface CommandOutput {
  readonly progress: Progress;
  /** Prints a line immediately. With `--json`, it prints nothing, so `data` must contain the same information. */
  printLine(line: string): void;
}

export type RunCommand = (output: CommandOutput) => Promise<CommandResult>;

/**
 * Runs a command and prints its result. With `json`, stdout contains exactly one JSON document, even if the command
 * fails: `{"error": …}`.
 * @returns the exit code of the process
 */
export async function runCommand(
  { json }: { readonly json: boolean },
  { write, writeError, progressStream }: Terminal,
  run: RunCommand,
): Promise<number> {
  const bar = openProgressBar(json ? undefined : progressStream);
  const printDocument = (document: unknown) => write(`${JSON.stringify(document, null, 2)}\n`);
  const printLine = (line: string) => {
    bar.hide();
    if (!json) write(`${line}\n`);
  };
  try {
    const { exitCode, data, lines } = await run({ progress: bar, printLine });
    if (json) printDocument(data);
    else for (const line of lines) printLine(line);
    return exitCode;
  } catch (error) {
    bar.hide();
    const isExpected = error instanceof CommandError || error instanceof ConfigError;
    if (json) printDocument({ error: error instanceof Error ? error.message : String(error) });
    // An unexpected error is a bug. Print the stack trace for the bug report.
    if (!isExpected) writeError(`${inspect(error)}\n`);
    else if (!json) writeError(`${error.message}\n`);
    return 1;
  } finally {
    bar.hide();
  }
}
