/** Throws a single failure as it is, and several as an `AggregateError`. Does nothing when there are none. */
export function throwFailures(failures: readonly unknown[]): void {
  const [first] = failures;
  if (failures.length === 1) throw first;
  if (failures.length === 0) return;
  const message = first instanceof Error ? first.message : String(first);
  throw new AggregateError(failures, `${failures.length} failures, the first: ${message}`);
}
