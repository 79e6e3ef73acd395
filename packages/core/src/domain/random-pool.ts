type RandomBytes = (count: number) => Uint8Array;

const BYTES_AT_ONCE = 4096;

/**
 * Hands out random bytes of larger draws: a draw takes as long as the rest of the work on a click. For ids, not for
 * secrets, which should not lie in memory before they are needed.
 */
export function poolRandomBytes(draw: RandomBytes): RandomBytes {
  let pool: Uint8Array = new Uint8Array();
  return (count) => {
    if (count > BYTES_AT_ONCE) return draw(count);
    if (count > pool.length) pool = draw(BYTES_AT_ONCE);
    const bytes = pool.subarray(0, count);
    pool = pool.subarray(count);
    return bytes;
  };
}
