import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { Child, waitUntilUp } from './start/child.ts';
import { defaultDatabaseUrl, describeDatabase, normalizeDatabaseUrl } from './start/database-name.ts';
import {
  DEMO_FILES,
  DemoStateFile,
  type SeededDemo,
  type SeededState,
  type SeedingDemo,
} from './start/demo-state.ts';
import { createDemoWithHistory, deleteInterruptedRecording } from './start/first-start.ts';
import { PORTAL_PARTNER } from './start/history/partners.ts';
import { printGreeting, showServerLine } from './start/messages.ts';
import { findPort, StartError } from './start/ports.ts';
import { seedDemo, updateShopUrl } from './start/seed.ts';
import { createSignInLink } from './start/sign-in-link.ts';

const SERVER_PORT = 8787;
const SHOP_PORT = 8788;

/** The running parts. They are stopped in reverse order. */
const running: { stop(): Promise<void> }[] = [];
let isStopping = false;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));

/** Stops the shop before the server, so that the shop's pending reports still reach the server. */
async function stop(code: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  for (const part of [...running].reverse()) await part.stop();
  process.exit(code);
}

/** Starts a process of the demo, and waits until the process is up. If the process exits, the whole demo stops. */
async function run(
  name: string,
  script: string,
  env: Record<string, string | undefined>,
  isUp: (line: string) => boolean,
): Promise<void> {
  if (isStopping) return;
  const child = new Child(name, script, env);
  running.push(child);
  child.ended.then((code) => {
    if (!isStopping) {
      console.error(`The ${name} exited unexpectedly (${code}).`);
      void stop(1);
    }
  });
  if (!(await waitUntilUp(child, isUp))) await stop(1);
}

async function start(): Promise<void> {
  const folder = resolve(process.env['DATA_DIR'] || 'data');
  const [serverPort, shopPort] = [
    await findPort('PORT', SERVER_PORT),
    await findPort('SHOP_PORT', SHOP_PORT),
  ];
  // Two host names make shop and server different sites, so that cookies and CORS work as in production.
  const [affkitUrl, shopUrl] = [`http://127.0.0.1:${serverPort}`, `http://localhost:${shopPort}`];
  const stateFile = new DemoStateFile(folder);
  const before = stateFile.read();
  const state = before?.step === 'seeded' ? before : newSeedingState(before);
  const databaseUrl = process.env['DATABASE_URL'] || defaultDatabaseUrl(folder);
  const database = normalizeDatabaseUrl(databaseUrl, folder);
  if (state.step === 'seeded') rejectOtherDatabase(state, database, folder);
  if (before === null) stateFile.write(state);

  const owner = state.step === 'seeding' ? ownerOf(state) : null;
  const recorded =
    state.step === 'seeding' && process.env['DEMO_HISTORY'] !== 'off'
      ? await recordHistory(state, { folder, database, databaseUrl, shopUrl, stateFile })
      : null;
  if (isStopping) return;
  await run(
    'server',
    'packages/server/dist/main.js',
    {
      HOST: '127.0.0.1',
      PORT: String(serverPort),
      DATABASE_URL: databaseUrl,
      ...(owner && { ADMIN_EMAIL: owner.email, ADMIN_PASSWORD: owner.password }),
    },
    showServerLine,
  );
  if (isStopping) return;

  const demo =
    state.step === 'seeding'
      ? (recorded ?? (await seedDemo(affkitUrl, ownerOf(state), shopUrl)))
      : // State files of older versions have no database name. For these files, `updateShopUrl` verifies the database.
        // `updateShopUrl` returns null if the database rejects the demo's key.
        state.shopUrl === shopUrl && state.database !== undefined
        ? state
        : ((await updateShopUrl(affkitUrl, state, shopUrl)) ?? rejectUnknownDatabase(database, folder));

  await run(
    'shop',
    'examples/shop/src/main.ts',
    {
      PORT: String(shopPort),
      AFFKIT_BASE_URL: affkitUrl,
      AFFKIT_TOKEN: demo.token,
      AFFKIT_PROGRAM_ID: String(demo.programId),
      AFFKIT_KEY: demo.key,
      SHOP_FILE: join(folder, 'shop.json'),
      PANEL_PARTNERS: demo.partners.map(({ code }) => code).join(','),
    },
    (line) => line === 'listening',
  );
  if (isStopping) return;

  const dashboardUrl = process.env['DASHBOARD'] === 'off' ? null : `${affkitUrl}/app`;
  const createLink = (email: string) => dashboardUrl && createSignInLink(email, { affkitUrl, databaseUrl });
  const [signInLink, partnerLink] = await Promise.all([
    createLink(state.adminEmail),
    createLink(PORTAL_PARTNER.email),
  ]);
  printGreeting({
    signInLink,
    partnerLink,
    dashboardUrl,
    affkitUrl,
    shopUrl,
    folder,
    partners: demo.partners,
    adminEmail: state.adminEmail,
    databaseUrl,
    password: owner?.password,
  });
  // This removes the password from the file, so the password must be printed first.
  stateFile.write({ ...demo, step: 'seeded', adminEmail: state.adminEmail, database });
}

interface Recording {
  readonly folder: string;
  readonly database: string | undefined;
  readonly databaseUrl: string;
  readonly shopUrl: string;
  readonly stateFile: DemoStateFile;
}

/** @returns the demo. If the database already has users, records nothing and returns null */
async function recordHistory(state: SeedingDemo, recording: Recording): Promise<SeededDemo | null> {
  const { folder, database, databaseUrl, shopUrl, stateFile } = recording;
  if (state.recording !== undefined && state.recording === database) {
    deleteInterruptedRecording(folder, database);
  }
  console.log('First start: recording 90 days of demo data …');
  return await createDemoWithHistory({
    databaseUrl,
    owner: ownerOf(state),
    shopUrl,
    onServer: (server) => running.push(server),
    onRecording: () => stateFile.write({ ...state, recording: database }),
  });
}

/** @throws StartError if the demo was set up in a different database */
function rejectOtherDatabase(
  { database: recorded }: SeededState,
  current: string | undefined,
  folder: string,
) {
  if (recorded === undefined || current === undefined || recorded === current) return;
  const isDefault = recorded === normalizeDatabaseUrl(defaultDatabaseUrl(folder), folder);
  throw new StartError(
    `The demo's data in DATA_DIR ${folder} belongs to the database ${describeDatabase(recorded, folder)}, ` +
      `not to ${describeDatabase(current, folder)}. ` +
      `${isDefault ? 'Unset DATABASE_URL' : 'Set DATABASE_URL to the database of the demo again'}, or set another DATA_DIR for a second demo`,
  );
}

/**
 * @throws StartError always. Called if `demo.json` names no database, and the current database rejects the demo's key.
 */
function rejectUnknownDatabase(current: string | undefined, folder: string): never {
  throw new StartError(
    `The demo's data in DATA_DIR ${folder} does not belong to the database ${describeDatabase(current ?? 'this', folder)}, ` +
      "which rejects the demo's key. Set DATABASE_URL as it was at the first start (unset it if it was not set), " +
      `or set another DATA_DIR for a second demo, or delete ${DEMO_FILES} there to start over`,
  );
}

function ownerOf(state: SeedingDemo) {
  return { email: state.adminEmail, password: state.adminPassword };
}

/**
 * The state of a new demo, with the credentials of its owner. Environment variables take precedence over the
 * stored credentials, so that you can correct credentials that were rejected in an earlier run.
 */
function newSeedingState(before: SeedingDemo | null): SeedingDemo {
  return {
    step: 'seeding',
    adminEmail: process.env['ADMIN_EMAIL'] || before?.adminEmail || 'admin@example.com',
    adminPassword:
      process.env['ADMIN_PASSWORD'] || before?.adminPassword || randomBytes(15).toString('base64url'),
    recording: before?.recording,
  };
}

try {
  await start();
} catch (error) {
  if (!isStopping) console.error(error instanceof StartError ? error.message : error);
  await stop(1);
}
