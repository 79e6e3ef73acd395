const MAX_CAUSES = 5;

/** The text without the token. */
export function redact(text: string, token: string): string {
  // It is hardly ever there, and to look costs less.
  return text.includes(token) ? text.replaceAll(token, '[token]') : text;
}

/**
 * A copy of what a transport threw, with its name, code, message, stack and causes, all without the token.
 * The original isn't kept, because some HTTP clients hang the whole request, headers included, on their errors.
 */
export function redactError(thrown: unknown, token: string, depth = 0): Error {
  const source = thrown instanceof Error ? thrown : new Error(String(thrown));
  const cause = source.cause;
  const options =
    cause === undefined || depth >= MAX_CAUSES ? undefined : { cause: redactError(cause, token, depth + 1) };
  const copy = new Error(redact(source.message, token), options);
  if (source.stack !== undefined) copy.stack = redact(source.stack, token);
  Object.defineProperty(copy, 'name', { value: source.name, configurable: true });
  const code = codeOf(source);
  return code === undefined ? copy : Object.assign(copy, { code });
}

/** The `code` of the first error in the chain of causes that has one, e.g. `ECONNREFUSED`. */
export function firstCode(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth <= MAX_CAUSES && current instanceof Error; depth += 1) {
    const code = codeOf(current);
    if (code !== undefined) return code;
    current = current.cause;
  }
  return undefined;
}

/** What an error says, in one line: most logs print no causes. */
export function reasonOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  const code = firstCode(error);
  return code === undefined || line.includes(code) ? line : `${line} (${code})`.trimStart();
}

/** The `code` of an error, e.g. of the file system. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
