/** One of the things that are compared. */
export interface Subject<T> {
  readonly name: string;
  /** @param round from 0, which warms up and is not counted */
  run(round: number): Promise<T>;
}

/**
 * Runs the subjects in turns, round by round, so that a change of the machine's speed meets all of them.
 * @returns what each came to, by its name
 */
export async function takeTurns<T>(
  rounds: number,
  subjects: readonly Subject<T>[],
  show: (result: T) => string,
): Promise<(name: string) => T[]> {
  const results = new Map<string, T[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run } of subjects) {
      const result = await run(round);
      process.stderr.write(`  ${round === 0 ? 'warm-up' : `round ${round}`}: ${name}: ${show(result)}\n`);
      if (round > 0) results.get(name)?.push(result);
    }
  }
  return (name) => {
    const own = results.get(name);
    if (!own) throw new Error(`There is no subject ${name}`);
    return own;
  };
}
