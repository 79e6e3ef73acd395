/** Where a command line reads its settings and writes its output. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  write(text: string): void;
  writeError(text: string): void;
}

/** Prints the result of a command: as one JSON document for scripts, or as lines for people. */
export function printReport(
  { write }: Pick<Terminal, 'write'>,
  json: boolean,
  result: unknown,
  lines: readonly string[],
): void {
  write(json ? `${JSON.stringify(result, null, 2)}\n` : lines.map((line) => `${line}\n`).join(''));
}
