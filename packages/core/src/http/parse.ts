import { codeOfMessage } from '@affkit/protocol';
import type { z } from 'zod';
import { Rejection } from '../rejection.ts';

/** The body by its schema; else the rejection of its first fault, in the order of the schema's fields. */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> | Rejection {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues[0]?.message ?? 'Invalid request body';
  return new Rejection(codeOfMessage(message), message);
}
