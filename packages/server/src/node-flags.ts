/**
 * The recommended flags of Node, which reduce memory under load. The server also runs without them.
 *
 * ```sh
 * node --max-semi-space-size=32 --heap-growing-percent=60 --no-allocation-site-pretenuring \
 *   packages/server/dist/main.js
 * ```
 *
 * - `--max-semi-space-size=32` limits new objects to 64 MB: two halves of 32 MB each. By default, V8 uses up
 *   to 128 MB and keeps the emptied pages. The value 16 saves 30 MB more, but costs 8 % of the clicks per
 *   second on SQLite.
 * - `--heap-growing-percent=60` starts the next full collection when the heap is 60 % larger than after the last
 *   collection. By default, V8 lets the heap grow to several times that size, and the garbage of finished requests
 *   takes up a hundred megabytes.
 * - `--no-allocation-site-pretenuring` allocates new objects in the young generation only. With pretenuring,
 *   V8 puts parts of each request into the old generation, where they keep other dead objects alive until a
 *   full collection.
 *
 * If `WEB_CONCURRENCY` is above 1, the workers always get these flags. A flag on the command line of the
 * server or in `NODE_OPTIONS` overrides the same flag here. The command `affkit-server` starts without
 * flags, because the first line of its script would need `env -S`, which Alpine Linux does not have.
 */
export const NODE_FLAGS: readonly string[] = [
  '--max-semi-space-size=32',
  '--heap-growing-percent=60',
  '--no-allocation-site-pretenuring',
];

/** Returns the recommended flags that are not in `NODE_OPTIONS`. */
export function flagsFor(nodeOptions: string): readonly string[] {
  // Node accepts flags with underscores too.
  const set = nodeOptions.replaceAll('_', '-');
  return NODE_FLAGS.filter((flag) => !set.includes(flag.replace(/=.*/, '')));
}
