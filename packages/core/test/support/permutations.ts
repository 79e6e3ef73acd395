export function permutations<T>(all: readonly T[]): T[][] {
  if (all.length === 0) return [[]];
  return all.flatMap((item, index) => permutations(all.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}
