type FindingLevel = 'ok' | 'warning' | 'problem';

/** The result of one check of `affkit doctor`. */
export interface Finding {
  /** A stable name for scripts, such as `database.clock`. */
  readonly check: string;
  /** `problem` if something does not work or loses data; `warning` if that may happen. */
  readonly level: FindingLevel;
  /** What was found, and what it means. */
  readonly message: string;
  /** What to do. Null if there is nothing to do. */
  readonly advice: string | null;
}

export const ok = (check: string, message: string): Finding => ({
  check,
  level: 'ok',
  message,
  advice: null,
});

export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  level: 'warning',
  message,
  advice,
});

export const problem = (check: string, message: string, advice: string): Finding => ({
  check,
  level: 'problem',
  message,
  advice,
});
