const MAX_CAUSES = 5;

/** Replaces every occurrence of the token with `[token]`. */
export function redact(text: string, token: string): string {
  // Few texts contain the token, and `includes` is cheaper than `replaceAll`.
  return text.includes(token) ? text.replaceAll(token, '[token]') : text;
}

/**
 * Copies the name, code, message, stack and causes of a thrown error, with the token redacted. The original
 * error is dropped, because some HTTP clients attach the whole request, including its headers, to their
 * errors.
 */
export function redactError(thrown: unknown, token: string, depth = 0): Error {
  const source = thrown instanceof Error ? thrown : new Error(String(thrown));
  const cause = source.cause;
  const options =
    cause === undefined || depth >= MAX_CAUSES ? undefined : { cause: redactError(cause, token, depth + 1) };
  const copy = new Error(redact(source.message, token), options);
  if (source.stack !== undefined) copy.stack = redact(source.stack, token);
  Object.defineProperty(copy, 'name', { value: source.name, configurable: true });
  const code = errorCodeOf(source);
  return code === undefined ? copy : Object.assign(copy, { code });
}

/** The first `code` in the chain of causes, e.g. `ECONNREFUSED`. */
export function firstErrorCode(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth <= MAX_CAUSES && current instanceof Error; depth += 1) {
    const code = errorCodeOf(current);
    if (code !== undefined) return code;
    current = current.cause;
  }
  return undefined;
}

/**
 * Returns the first line of the message. Adds the first error code of the cause chain, because most loggers do
 * not print causes.
 */
export function errorSummary(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  const code = firstErrorCode(error);
  return code === undefined || line.includes(code) ? line : `${line} (${code})`.trimStart();
}

/** The string `code` of an error, e.g. `ENOENT`. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
