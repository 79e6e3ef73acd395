import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Where a record has what, in bytes. All numbers are big-endian, of 32 bits. */
export interface RangeLayout {
  readonly recordSize: number;
  /** Of the range's last address; the first one is at 0. */
  readonly last: number;
  /** Of the number that the range stands for. */
  readonly value: number;
  /** Does an address have a second word? No more of it than two are compared. */
  readonly hasLow: boolean;
}

/** Ranges of addresses in ascending order, in a file that stays on the disk. */
export interface RangeFile {
  /** @returns what the range of this address stands for; `null` where it is in none, or the file can't be read */
  find(high: number, low: number): number | null;
  close(): void;
}

/** So many records are read at once: a few kilobytes, for which the call costs more than the copying. */
const BLOCK = 64;
/** First and last address of a range, two words each. */
const BOUNDS = 4;

/**
 * Opens a file of ranges. The search asks for the same records as that of geoip-lite, in the same order, so that it
 * finds the same one where ranges overlap. The records where every search begins are kept once they were asked for.
 * @throws when the file can't be opened, or does not hold whole records
 */
export function openRangeFile(path: string, layout: RangeLayout): RangeFile {
  const { recordSize, last, value, hasLow } = layout;
  const { fd, records } = openRecords(path, recordSize);
  const block = Buffer.alloc((BLOCK + 1) * recordSize);
  // By the way to a record, as in a heap: that of 1 goes on to 2 and 3. Zeros are not asked for yet.
  const tops = new Uint32Array(BOUNDS * (Math.ceil((2 * records) / (BLOCK - 1)) + 2));

  const readBounds = (offset: number, into: Uint32Array, at: number) => {
    into[at] = block.readUInt32BE(offset);
    into[at + 1] = hasLow ? block.readUInt32BE(offset + 4) : 0;
    into[at + 2] = block.readUInt32BE(offset + last);
    into[at + 3] = hasLow ? block.readUInt32BE(offset + last + 4) : 0;
  };
  /** @returns the top's record is known */
  const readTop = (line: number, at: number): boolean => {
    if (tops[at + 2] !== 0 || tops[at + 3] !== 0) return true;
    if (!readExactly(fd, block, recordSize, line * recordSize)) return false;
    readBounds(0, tops, at);
    return true;
  };
  /** Negative where the range is below the address, positive where above. */
  const compare = (bounds: Uint32Array, at: number, high: number, low: number): number => {
    if (isBefore(high, low, bounds[at] ?? 0, bounds[at + 1] ?? 0)) return 1;
    return isBefore(bounds[at + 2] ?? 0, bounds[at + 3] ?? 0, high, low) ? -1 : 0;
  };

  const one = new Uint32Array(BOUNDS);
  return {
    find: (high, low) => {
      let begin = 0;
      let end = records - 1;
      for (let way = 1; end - begin >= BLOCK; ) {
        const line = begin + Math.round((end - begin) / 2);
        if (!readTop(line, way * BOUNDS)) return null;
        const order = compare(tops, way * BOUNDS, high, low);
        if (order === 0) {
          return readExactly(fd, block, 4, line * recordSize + value) ? block.readUInt32BE(0) : null;
        }
        if (order > 0) end = line;
        else begin = line;
        way = 2 * way + (order > 0 ? 0 : 1);
      }
      const origin = begin;
      if (!readExactly(fd, block, (end - begin + 1) * recordSize, begin * recordSize)) return null;
      for (;;) {
        const line = begin + Math.round((end - begin) / 2);
        const offset = (line - origin) * recordSize;
        readBounds(offset, one, 0);
        const order = compare(one, 0, high, low);
        if (order === 0) return block.readUInt32BE(offset + value);
        if (begin === end) return null;
        // Of two records the upper one is asked for first.
        if (end - begin === 1) end = begin;
        else if (order > 0) end = line;
        else begin = line;
      }
    },
    close: () => closeSync(fd),
  };
}

function isBefore(high: number, low: number, thanHigh: number, thanLow: number): boolean {
  return high === thanHigh ? low < thanLow : high < thanHigh;
}

/** @throws when the file can't be opened, or does not hold whole records */
export function openRecords(path: string, recordSize: number): { fd: number; records: number } {
  const fd = openSync(path, 'r');
  const { size } = fstatSync(fd);
  if (size > 0 && size % recordSize === 0) return { fd, records: size / recordSize };
  closeSync(fd);
  throw new Error(`${path} is damaged: it has ${size} bytes, which is not a number of records`);
}

/** @returns `false` where the file has fewer bytes, or can't be read */
export function readExactly(fd: number, into: Buffer, length: number, position: number): boolean {
  try {
    return readSync(fd, into, 0, length, position) === length;
  } catch {
    // A visit is not to fail for its place.
    return false;
  }
}
