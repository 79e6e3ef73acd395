import { distance } from 'fastest-levenshtein';

/**
 * Determines how many typing errors a misspelled variable may have. If the name of the setting has n letters, the limit
 * is n / 4 - 1, rounded down, but at most `MAX_VARIABLE_TYPOS`. With a divisor below 4, variables of other software
 * would match the names of short settings.
 */
const LETTERS_PER_VARIABLE_TYPO = 4;
const MAX_VARIABLE_TYPOS = 2;

/** Kubernetes and Docker set `AFFKIT_PORT=tcp://…` if there is a service with the name `affkit`. */
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;

export interface MisspelledVariable {
  readonly variable: string;
  readonly setting: string;
}

/**
 * Finds the variables that were probably meant to be one of `settings`, such as `DATABASEURL` or `AFFKIT_PORT`.
 * If the setting itself is set, similar variables are ignored.
 */
export function findMisspelledVariables(
  env: Readonly<Record<string, string | undefined>>,
  settings: readonly string[],
): MisspelledVariable[] {
  const unset = settings.filter((setting) => !env[setting]);
  return Object.entries(env).flatMap(([variable, value = '']) => {
    if (settings.includes(variable) || SERVICE_ADDRESS.test(value)) return [];
    const setting = unset.find((candidate) => resembles(variable, candidate));
    return setting === undefined ? [] : [{ variable, setting }];
  });
}

function resembles(variable: string, setting: string): boolean {
  const letters = variableLettersOf(setting);
  const maxTypos = Math.min(MAX_VARIABLE_TYPOS, Math.floor(letters.length / LETTERS_PER_VARIABLE_TYPO) - 1);
  const names = [variableLettersOf(variable), variableLettersOf(variable).replace(/^AFFKIT/, '')];
  return names.some((name) => name === letters || distance(name, letters) <= maxTypos);
}

function variableLettersOf(name: string): string {
  return name.toUpperCase().replaceAll('_', '');
}
