import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that tests run and npm does not have. */
export interface TestProgram {
  readonly title: string;
  /** What it may be called on the `PATH`, the preferred one first. */
  readonly names: readonly string[];
  /** Where else it may be. */
  readonly paths: readonly string[];
  /** Names it by its path instead; the tests get it by that too. */
  readonly variable: string;
  /** Debian's package. */
  readonly package: string;
  readonly howToInstall: string;
}

const chromium: TestProgram = {
  title: 'Chromium or Chrome',
  names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  paths: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  variable: 'CHROMIUM_PATH',
  package: 'chromium',
  howToInstall: 'Debian: apt-get install chromium; Ubuntu, macOS, Windows: Google Chrome',
};

/** The guide's examples for web servers are run by them. */
const webServers = ['nginx', 'caddy'].map(
  (name): TestProgram => ({
    title: name,
    names: [name],
    paths: [`/usr/sbin/${name}`],
    variable: `${name.toUpperCase()}_PATH`,
    package: name,
    howToInstall: `Debian, Ubuntu: apt-get install ${name}; macOS: brew install ${name}`,
  }),
);

export const testPrograms: readonly TestProgram[] = [chromium, ...webServers];

/** The path of a program: that of its variable if set, else the first known one on the `PATH`. */
export function findProgram(
  { names, paths, variable }: TestProgram,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const named = env[variable];
  if (named) return existsSync(named) ? named : undefined;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [...candidates, ...paths].find((candidate) => existsSync(candidate));
}

/** The variables by which tests find the programs that are there. */
export function programVariables(): Record<string, string> {
  const found = testPrograms.map((program) => [program.variable, findProgram(program)]);
  return Object.fromEntries(found.filter(([, path]) => path !== undefined));
}

/** Only root on Debian itself may install them: Ubuntu's Chromium needs snapd, which containers lack. */
export function canInstallPrograms(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/etc/os-release') || !existsSync('/usr/bin/apt-get'))
    return false;
  return /^ID="?debian"?$/m.test(readFileSync('/etc/os-release', 'utf8'));
}
