/**
 * Throws a single failure unchanged, and several failures as an `AggregateError`. Does nothing if the list is
 * empty.
 */
export function throwFailures(failures: readonly unknown[]): void {
  const [first] = failures;
  if (failures.length === 1) throw first;
  if (failures.length === 0) return;
  const message = first instanceof Error ? first.message : String(first);
  throw new AggregateError(failures, `${failures.length} failures, the first: ${message}`);
}

/** Waits until all promises have settled. @returns their values @throws their failures; see `throwFailures` */
export async function settleAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(promises);
  throwFailures(results.filter((result) => result.status === 'rejected').map(({ reason }) => reason));
  return await Promise.all(promises);
}
