import { AffkitValidationError } from '../src/errors.ts';
import { readInput } from '../src/input/read-input.ts';
import type { Operation } from '../src/retry.ts';

export const NOW = '2026-03-01T12:00:00.000Z';
const nowMs = Date.parse(NOW);
export const sale = { transaction_id: 'order-1', amount_cents: 1999, customer_key: 'user-1' };

/** Returns an object that is nested so deeply that `JSON.stringify` overflows the stack. */
export function tooDeep(): unknown {
  let whole: unknown = {};
  for (let level = 0; level < 100_000; level += 1) whole = [whole];
  return { whole };
}

export const cyclic: Record<string, unknown> = {};
Object.assign(cyclic, { self: cyclic, again: cyclic });

export const read = (operation: Operation, input: unknown) => readInput(operation, input, nowMs);
export const bodyOf = (operation: Operation, input: unknown): unknown =>
  JSON.parse(read(operation, input).body);

export function rejectionOf(operation: Operation, input: unknown): AffkitValidationError | undefined {
  try {
    read(operation, input);
    return undefined;
  } catch (error) {
    if (error instanceof AffkitValidationError) return error;
    throw error;
  }
}

/** Returns an object that is nested to this number of levels. */
export function nested(levels: number): Record<string, unknown> {
  return levels <= 1 ? {} : { in: nested(levels - 1) };
}
