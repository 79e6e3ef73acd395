import { expect } from 'vitest';

/** A reply with that status, text and code, as `toMatchObject` compares it. */
export const error = (status: number, text: string, code: string) => ({
  status,
  body: expect.objectContaining({ error: text, code, request_id: expect.any(String) }),
});
