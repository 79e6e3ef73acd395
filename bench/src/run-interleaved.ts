/** A system that is compared with others. */
export interface Candidate<T> {
  readonly name: string;
  /** Measures one round. Round 0 is a warm-up whose result is discarded. */
  run(round: number): Promise<T>;
}

/**
 * Runs the candidates alternately, round by round, so that changes in the speed of the machine affect all of
 * them.
 * @returns a function that returns the results of a candidate by its name
 */
export async function runInterleaved<T>(
  rounds: number,
  candidates: readonly Candidate<T>[],
  show: (result: T) => string,
): Promise<(name: string) => T[]> {
  const results = new Map<string, T[]>(candidates.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, run } of candidates) {
      const result = await run(round);
      process.stderr.write(`  ${round === 0 ? 'warm-up' : `round ${round}`}: ${name}: ${show(result)}\n`);
      if (round > 0) results.get(name)?.push(result);
    }
  }
  return (name) => {
    const found = results.get(name);
    if (!found) throw new Error(`Unknown candidate ${name}`);
    return found;
  };
}
