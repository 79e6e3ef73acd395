import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The layout of a record. All numbers are unsigned 32-bit big-endian words. The first address is at offset 0.
 */
export interface RangeLayout {
  readonly recordSize: number;
  /** The offset of the last address of the range. */
  readonly last: number;
  /** The offset of the value of the range. */
  readonly value: number;
  /** Whether addresses have a second word, as in IPv6. At most two words are compared. */
  readonly hasLow: boolean;
}

/** A file of IP address ranges in ascending order. It is searched on disk. */
export interface IpRangeFile {
  /**
   * @returns the value of the range that contains the address, or `null` if there is no such range or the
   * read fails
   */
  find(high: number, low: number): number | null;
  close(): void;
}

/**
 * The number of records per read. Below a few kilobytes, the system call itself takes longer than copying the
 * block.
 */
const BLOCK = 64;
/** The number of words in a cached pair of bounds: two words for the first address and two for the last. */
const BOUNDS = 4;

/**
 * Opens a file of ranges. The binary search visits the same records in the same order as geoip-lite. If
 * ranges overlap, it therefore finds the same record. The bounds of the records that the search visits first are
 * cached.
 * @throws Error when the file cannot be opened, or its size is not a multiple of the record size
 */
export function openIpRangeFile(path: string, layout: RangeLayout): IpRangeFile {
  const { recordSize, last, value, hasLow } = layout;
  const { fd, records } = openRecords(path, recordSize);
  const block = Buffer.alloc((BLOCK + 1) * recordSize);
  // The bounds of the upper part of the search tree, in heap order: the children of node 1 are 2 and 3.
  // Zeros mean that a node has not been cached yet.
  const tree = new Uint32Array(BOUNDS * (Math.ceil((2 * records) / (BLOCK - 1)) + 2));

  const readBounds = (offset: number, into: Uint32Array, at: number) => {
    into[at] = block.readUInt32BE(offset);
    into[at + 1] = hasLow ? block.readUInt32BE(offset + 4) : 0;
    into[at + 2] = block.readUInt32BE(offset + last);
    into[at + 3] = hasLow ? block.readUInt32BE(offset + last + 4) : 0;
  };
  /** @returns whether the bounds of the node are in the cache now */
  const cacheNode = (index: number, at: number): boolean => {
    if (tree[at + 2] !== 0 || tree[at + 3] !== 0) return true;
    if (!readExactly(fd, block, recordSize, index * recordSize)) return false;
    readBounds(0, tree, at);
    return true;
  };
  /**
   * @returns a negative number if the range is below the address, a positive number if it is above, and 0 if
   * it contains the address
   */
  const compare = (bounds: Uint32Array, at: number, high: number, low: number): number => {
    if (isBefore(high, low, bounds[at] ?? 0, bounds[at + 1] ?? 0)) return 1;
    return isBefore(bounds[at + 2] ?? 0, bounds[at + 3] ?? 0, high, low) ? -1 : 0;
  };

  const bounds = new Uint32Array(BOUNDS);
  return {
    find: (high, low) => {
      let begin = 0;
      let end = records - 1;
      for (let node = 1; end - begin >= BLOCK; ) {
        const index = begin + Math.round((end - begin) / 2);
        if (!cacheNode(index, node * BOUNDS)) return null;
        const order = compare(tree, node * BOUNDS, high, low);
        if (order === 0) {
          return readExactly(fd, block, 4, index * recordSize + value) ? block.readUInt32BE(0) : null;
        }
        if (order > 0) end = index;
        else begin = index;
        node = 2 * node + (order > 0 ? 0 : 1);
      }
      const blockStart = begin;
      if (!readExactly(fd, block, (end - begin + 1) * recordSize, begin * recordSize)) return null;
      for (;;) {
        const index = begin + Math.round((end - begin) / 2);
        const offset = (index - blockStart) * recordSize;
        readBounds(offset, bounds, 0);
        const order = compare(bounds, 0, high, low);
        if (order === 0) return block.readUInt32BE(offset + value);
        if (begin === end) return null;
        // If two records remain, `Math.round` has chosen the upper one, so check the lower one next.
        if (end - begin === 1) end = begin;
        else if (order > 0) end = index;
        else begin = index;
      }
    },
    close: () => closeSync(fd),
  };
}

function isBefore(high: number, low: number, thanHigh: number, thanLow: number): boolean {
  return high === thanHigh ? low < thanLow : high < thanHigh;
}

/** @throws Error when the file cannot be opened, or its size is not a multiple of the record size */
export function openRecords(path: string, recordSize: number): { fd: number; records: number } {
  const fd = openSync(path, 'r');
  const { size } = fstatSync(fd);
  if (size > 0 && size % recordSize === 0) return { fd, records: size / recordSize };
  closeSync(fd);
  throw new Error(`${path} is damaged: it has ${size} bytes, not a positive multiple of ${recordSize}`);
}

/** @returns `false` if the file ends too early or the read fails */
export function readExactly(fd: number, into: Buffer, length: number, position: number): boolean {
  try {
    return readSync(fd, into, 0, length, position) === length;
  } catch {
    // A click must not fail because a data file cannot be read.
    return false;
  }
}
