import { expect } from 'vitest';

/** Returns an error response with this status, text and code, for `toMatchObject`. */
export const errorResponse = (status: number, text: string, code: string) => ({
  status,
  body: expect.objectContaining({ error: text, code, request_id: expect.any(String) }),
});
