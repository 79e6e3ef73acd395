import { environment, listSettingProblems } from '../../config.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Variables of the SDK and its examples, which may be set in the same environment. */
const CLIENT_VARIABLES: ReadonlySet<string> = new Set([
  'AFFKIT_TOKEN',
  'AFFKIT_API_KEY',
  'AFFKIT_BASE_URL',
  'AFFKIT_WEBHOOK_SECRET',
  'AFFKIT_EVENTS_SECRET',
]);

/** Kubernetes and Docker set these for a service with the name `affkit`. */
const SERVICE_VARIABLE = /^AFFKIT_(?:SERVICE|PORT)(?:_|$)/;

/** Finds environment variables that are misspelled, unknown, or invalid. */
export function checkSettings(env: Readonly<Record<string, string | undefined>>): Finding[] {
  const problems = listSettingProblems(env);
  const named = new Set(problems.map(({ variable }) => variable));
  const unknown = Object.entries(env)
    .filter(([name, value]) => value?.trim() !== '' && isUnknown(name) && !named.has(name))
    .map(([name]) =>
      warning('settings', `${name} is not a setting of the server, so it has no effect.`, `Remove ${name}.`),
    );
  const findings = [
    ...problems.map(({ message, variable }) =>
      problem('settings', message, `The server does not start until ${variable} is corrected.`),
    ),
    ...unknown,
  ];
  return findings.length > 0 ? findings : [ok('settings', 'All settings are valid.')];
}

function isUnknown(name: string): boolean {
  return (
    name.startsWith('AFFKIT_') &&
    !(name in environment.shape) &&
    !CLIENT_VARIABLES.has(name) &&
    !SERVICE_VARIABLE.test(name)
  );
}
