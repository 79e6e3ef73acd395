import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that tests run and that npm can't install. */
export interface TestProgram {
  readonly title: string;
  /** File names to look for on the `PATH`, the preferred one first. */
  readonly names: readonly string[];
  /** Further paths to try. */
  readonly paths: readonly string[];
  /** Environment variable with the path. It overrides the search and passes the path to the tests. */
  readonly variable: string;
  /** Names of Debian packages: the package of the program, and recommended packages that the tests need too. */
  readonly packages: readonly string[];
  readonly howToInstall: string;
  /** Whether the tests use another program if this one is missing. @default false */
  readonly isOptional?: boolean;
}

const chromium: TestProgram = {
  title: 'Chromium or Chrome',
  names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  paths: [
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  variable: 'CHROMIUM_PATH',
  packages: ['chromium', 'fonts-liberation'],
  howToInstall: 'Debian: apt-get install chromium; Ubuntu, macOS, Windows: Google Chrome',
};

/**
 * Chromium without a user interface. Opening a page takes a quarter of the CPU time of the full browser. Tests use
 * it unless they need browser settings or prerendering.
 */
const headlessShell: TestProgram = {
  title: 'Chromium headless shell',
  names: ['chromium-headless-shell'],
  paths: [],
  variable: 'HEADLESS_SHELL_PATH',
  packages: ['chromium-headless-shell'],
  howToInstall: 'Debian: apt-get install chromium-headless-shell',
  isOptional: true,
};

const firefox: TestProgram = {
  title: 'Firefox',
  names: ['firefox-esr', 'firefox'],
  paths: ['/Applications/Firefox.app/Contents/MacOS/firefox'],
  variable: 'FIREFOX_PATH',
  packages: ['firefox-esr'],
  howToInstall: 'Debian: apt-get install firefox-esr; Ubuntu, macOS, Windows: Firefox',
};

/** WebKitGTK runs only on Linux. It needs its driver, which starts the browser, and a display. */
const webKit: readonly TestProgram[] = [
  {
    title: 'the driver of WebKitGTK',
    names: ['WebKitWebDriver'],
    paths: [],
    variable: 'WEBKIT_DRIVER_PATH',
    packages: ['webkit2gtk-driver'],
    howToInstall: 'Debian, Ubuntu: apt-get install webkit2gtk-driver',
  },
  {
    title: 'Xvfb',
    names: ['Xvfb'],
    paths: [],
    variable: 'XVFB_PATH',
    packages: ['xvfb'],
    howToInstall: 'Debian, Ubuntu: apt-get install xvfb',
  },
];

/** Returns a program whose command and packages have the same name. */
function sameNamed(name: string): TestProgram {
  return {
    title: name,
    names: [name],
    paths: [`/usr/sbin/${name}`],
    variable: `${name.toUpperCase()}_PATH`,
    packages: [name],
    howToInstall: `Debian, Ubuntu: apt-get install ${name}; macOS: brew install ${name}`,
  };
}

/** The web servers that run the proxy examples of the guide. */
const webServers = ['nginx', 'caddy'].map(sameNamed);

/**
 * The database for tests of the Node SDK's outbox. The Debian package contains only the program and starts no
 * service.
 */
const mariadb: TestProgram = {
  title: 'MariaDB',
  names: ['mariadbd'],
  paths: ['/usr/sbin/mariadbd', '/opt/homebrew/opt/mariadb/bin/mariadbd'],
  variable: 'MARIADB_PATH',
  packages: ['mariadb-server-core'],
  howToInstall: 'Debian, Ubuntu: apt-get install mariadb-server-core; macOS: brew install mariadb',
};

/** The connection pooler through which core's database tests run. */
const pgBouncer: TestProgram = {
  title: 'PgBouncer',
  names: ['pgbouncer'],
  paths: ['/usr/sbin/pgbouncer', '/opt/homebrew/bin/pgbouncer'],
  variable: 'PGBOUNCER_PATH',
  packages: ['pgbouncer'],
  howToInstall: 'Debian, Ubuntu: apt-get install pgbouncer; macOS: brew install pgbouncer',
};

/** The programs that the commands in the documentation use. */
const clients = ['curl', 'jq'].map(sameNamed);

/** Creates the root file systems in which a long test executes the Dockerfile. It needs root. */
const mmdebstrap: TestProgram = {
  title: 'mmdebstrap',
  names: ['mmdebstrap'],
  paths: [],
  variable: 'MMDEBSTRAP_PATH',
  packages: ['mmdebstrap'],
  howToInstall: 'Debian, Ubuntu: apt-get install mmdebstrap',
};

/** Checks `deploy/systemd/affkit.service`. */
const systemd: TestProgram = {
  title: 'systemd-analyze',
  names: ['systemd-analyze'],
  paths: [],
  variable: 'SYSTEMD_ANALYZE_PATH',
  packages: ['systemd'],
  howToInstall: 'Debian, Ubuntu: apt-get install systemd',
};

/** Whether the tests run the steps of the Dockerfile. */
export const buildsImage =
  process.env['AFFKIT_TEST_LONG'] === '1' && process.platform === 'linux' && process.getuid?.() === 0;

export const testPrograms: readonly TestProgram[] = [
  chromium,
  headlessShell,
  firefox,
  ...(process.platform === 'linux' ? webKit : []),
  ...webServers,
  mariadb,
  pgBouncer,
  ...clients,
  ...(buildsImage ? [mmdebstrap, systemd] : []),
];

/**
 * Finds a program: the path in its variable if set, otherwise the first match on the `PATH` or in `paths`.
 * @returns undefined if the file does not exist
 */
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

/**
 * Returns the environment variables through which tests find the installed programs. If the headless shell is not
 * installed, its variable contains the path of Chromium.
 */
export function programVariables(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const found = testPrograms.map((program): [string, string | undefined] => [
    program.variable,
    findProgram(program, env) ?? (program === headlessShell ? findProgram(chromium, env) : undefined),
  ]);
  return Object.fromEntries(found.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/**
 * Whether this process can install the programs: it must run as root on Debian. Ubuntu is excluded, because its
 * Chromium needs snapd, which containers lack.
 */
export function canInstallPrograms(): boolean {
  if (process.getuid?.() !== 0 || !existsSync('/etc/os-release') || !existsSync('/usr/bin/apt-get'))
    return false;
  return /^ID="?debian"?$/m.test(readFileSync('/etc/os-release', 'utf8'));
}
