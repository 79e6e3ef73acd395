/** Takes a message and its fields, as `console` does. None of them ever holds the token. */
export interface Logger {
  debug(message: string, fields: Readonly<Record<string, unknown>>): void;
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** The least severe level that is logged. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'off'];

/** Is it a level that a logger takes? */
export function isLogLevel(value: unknown): value is LogLevel {
  return ORDER.some((level) => level === value);
}

/** A logger that drops what is below `level`, and that never fails the call that it reports on. */
export function levelLogger(logger: Logger, level: LogLevel): Logger {
  const from = ORDER.indexOf(level);
  const write = (at: Exclude<LogLevel, 'off'>): Logger['debug'] => {
    if (ORDER.indexOf(at) < from) return () => {};
    return (message, fields) => {
      try {
        logger[at](message, fields);
      } catch {
        // The event matters more than its log line, and there is nowhere left to report to.
      }
    };
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
