import { type DestinationStream, type Logger, pino, stdSerializers } from 'pino';

/** Creates the logger of the server. @param destination where to write the lines. @default stdout */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, serializers: { err: describeError } };
  return destination ? pino(options, destination) : pino(options);
}

/**
 * Returns the fields of an error that are logged. All others are left out, because they can contain secrets and
 * personal data: a parser error has the bytes of the request, and a database error has the values of a row.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = stdSerializers.err(error);
  return {
    type,
    message,
    ...('code' in error && typeof error.code === 'string' && { code: error.code }),
    ...(error instanceof AggregateError && { errors: error.errors.map(describeError) }),
    stack,
  };
}
