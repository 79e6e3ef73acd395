/** An entry of the command menu. */
export interface Command {
  readonly id: string;
  readonly text: string;
  /** The kind of the entry, such as "Page". */
  readonly kind: string;
  /** The path of the dashboard page that the entry opens. */
  readonly path: string;
}

/** Entries that contain every word of the query. Entries that start with the query come first. */
export function rankCommands(commands: readonly Command[], query: string): readonly Command[] {
  const whole = query.toLowerCase();
  const words = whole.split(/\s+/);
  const matches = commands.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const isFirst = ({ text }: Command) => text.toLowerCase().startsWith(whole);
  return [...matches.filter(isFirst), ...matches.filter((command) => !isFirst(command))];
}
