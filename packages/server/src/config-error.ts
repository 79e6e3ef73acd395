/**
 * A setting that is not valid or cannot be used. The message is one line and starts with the name of the
 * variable.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly variable: string;

  /** @param problem the rest of the message, such as `must be an integer.` */
  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
    this.variable = variable;
  }
}
