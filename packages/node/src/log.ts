import { callSafely } from './call-safely.ts';

/**
 * Receives log messages with structured fields. `console` is a valid logger. Neither the message nor the fields
 * ever contain the token.
 */
export interface Logger {
  debug(message: string, fields: Readonly<Record<string, unknown>>): void;
  info(message: string, fields: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** The least severe level that is logged. `off` disables logging. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'off'];

/** Whether the value is a valid `logLevel`. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LEVELS.some((level) => level === value);
}

/**
 * Wraps a logger. Drops messages below `level`. Ignores errors that the logger throws or rejects with, so that they
 * do not fail a call.
 */
export function levelLogger(logger: Logger, level: LogLevel): Logger {
  const minIndex = LEVELS.indexOf(level);
  const write = (at: Exclude<LogLevel, 'off'>): Logger['debug'] => {
    if (LEVELS.indexOf(at) < minIndex) return () => {};
    return (message, fields) => {
      // A broken logger must not fail the call, and there is no other place to report it.
      callSafely(
        () => logger[at](message, fields),
        () => {},
      );
    };
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}
