/** Where a command line reads its settings and writes its output. */
export interface Terminal {
  readonly env: NodeJS.ProcessEnv;
  /** The terminal of stderr, for progress bars. Undefined if stderr is a file or a pipe. */
  readonly progressStream?: NodeJS.WritableStream | undefined;
  /** Asks a yes-or-no question. Undefined if nobody can answer, because stdin or stdout is a file or a pipe. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined;
  write(text: string): void;
  writeError(text: string): void;
}
