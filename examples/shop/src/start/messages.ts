import { relative, resolve } from 'node:path';
import { defaultDatabaseUrl } from './database-name.ts';
import { PORTAL_PARTNER } from './history/partners.ts';

/** What the greeting shows about a running demo. */
export interface Greeting {
  /** Signs the owner in to the dashboard once. Null if there is no dashboard, or if the owner was deleted. */
  readonly signInLink: string | null;
  /** Signs a partner in to the partner portal once. Null if there is no dashboard, or if the user was deleted. */
  readonly partnerLink: string | null;
  /** Null if there is no dashboard. */
  readonly dashboardUrl: string | null;
  readonly affkitUrl: string;
  readonly shopUrl: string;
  readonly folder: string;
  readonly partners: readonly { readonly name: string; readonly code: string }[];
  readonly adminEmail: string;
  readonly databaseUrl: string;
  /** The password of the owner. Undefined except at the first start. */
  readonly password: string | undefined;
}

/** Prints the URLs to open and how to sign in. */
export function printGreeting(greeting: Greeting): void {
  const {
    signInLink,
    partnerLink,
    dashboardUrl,
    affkitUrl,
    shopUrl,
    folder,
    partners,
    adminEmail,
    databaseUrl,
    password,
  } = greeting;
  const width = Math.max(...partners.map(({ name }) => name.length));
  const links = partners.map(({ name, code }) => `  ${name.padEnd(width)}  ${shopUrl}/?aff=${code}`);
  const shortFolder = relative(process.cwd(), folder) || '.';
  const dashboard = `
Open the dashboard. This link signs you in once, within ten minutes (the next start prints a new one):

  ${signInLink}
`;
  const portal = `
Open the partner portal as ${PORTAL_PARTNER.name}. Use a private window, or the link replaces your dashboard session:

  ${partnerLink}
`;
  console.log(`${signInLink === null ? '' : dashboard}${partnerLink === null ? '' : portal}
Open a partner's link, sign up, buy something and refund it. The panel next to the shop shows what Affkit records:

${links.join('\n')}

  Dashboard  ${dashboardUrl ?? 'off'}
  Shop       ${shopUrl}
  API        ${affkitUrl}/docs
  Owner      ${adminEmail}
             ${
               password === undefined
                 ? `The password was shown at the first start. To reset it: ${resetCommand(adminEmail, databaseUrl)}`
                 : `password ${password}   (shown only this once)`
             }
  Data       ${shortFolder}

Ctrl-C stops the shop and the server.
`);
}

/** The shell command that resets the owner's password while the demo runs. Run it in the repository. */
function resetCommand(email: string, databaseUrl: string): string {
  const command = `npm run --silent affkit -- password reset ${email}`;
  if (databaseUrl === defaultDatabaseUrl(resolve('data'))) return command;
  // A custom URL may contain a password, so do not print it.
  const url = databaseUrl.startsWith('sqlite:') ? `'${databaseUrl}'` : '…';
  return `DATABASE_URL=${url} ${command}`;
}

/** Prints a line of the server, except log lines below `warn`. @returns whether the server is listening now */
export function showServerLine(line: string): boolean {
  const entry = parse(line);
  if (entry === null) {
    console.log(line);
    return false;
  }
  if (entry.msg === 'listening') return true;
  if (entry.level >= 40) console.error(line);
  return false;
}

function parse(line: string): { level: number; msg: string } | null {
  try {
    const entry: unknown = JSON.parse(line);
    // Log lines of pino always have `level` and `msg`.
    return typeof entry === 'object' ? (entry as { level: number; msg: string } | null) : null;
  } catch {
    return null;
  }
}
