/** Throws what has failed: one failure as it is, several as an `AggregateError`; nothing where nothing has. */
export function throwFailures(failures: readonly unknown[]): void {
  const [first] = failures;
  if (failures.length === 1) throw first;
  if (failures.length === 0) return;
  const message = first instanceof Error ? first.message : String(first);
  throw new AggregateError(failures, `${failures.length} failures, the first: ${message}`);
}
