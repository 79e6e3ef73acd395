import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { Child, waitUntilUp } from './start/child.ts';
import { defaultDatabaseUrl, nameDatabase, showDatabase } from './start/database-name.ts';
import { DEMO_FILES, DemoNotes, type SeededState, type SeedingDemo } from './start/demo-state.ts';
import { greet, showServerLine } from './start/messages.ts';
import { findPort, StartError } from './start/ports.ts';
import { moveShop, seedDemo } from './start/seed.ts';

const SERVER_PORT = 8787;
const SHOP_PORT = 8788;

const children: Child[] = [];
let isStopping = false;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0));

/** Ends the shop first, so that what it has to report still reaches the server. */
async function stop(code: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  for (const child of [...children].reverse()) await child.stop();
  process.exit(code);
}

/** Runs a process of the demo, whose end is the end of all. */
async function run(
  name: string,
  script: string,
  env: Record<string, string | undefined>,
  isUp: (line: string) => boolean,
): Promise<void> {
  if (isStopping) return;
  const child = new Child(name, script, env);
  children.push(child);
  child.ended.then((code) => {
    if (!isStopping) {
      console.error(`The ${name} has ended (${code}).`);
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
  // Two host names, so that the shop is another site to the browser: cookies and CORS are the real ones.
  const [affkitUrl, shopUrl] = [`http://127.0.0.1:${serverPort}`, `http://localhost:${shopPort}`];
  const notes = new DemoNotes(folder);
  const before = notes.read();
  const state = before?.step === 'seeded' ? before : unseeded(before);
  const databaseUrl = process.env['DATABASE_URL'] || defaultDatabaseUrl(folder);
  const database = nameDatabase(databaseUrl, folder);
  if (state.step === 'seeded') refuseOtherDatabase(state, database, folder);
  if (before === null) notes.write(state);

  const owner = state.step === 'seeding' ? { email: state.adminEmail, password: state.adminPassword } : null;
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
      ? await seedDemo(affkitUrl, ownerOf(state), shopUrl)
      : // Where no database was noted, the call shows that this is the one.
        state.shopUrl === shopUrl && state.database !== undefined
        ? state
        : ((await moveShop(affkitUrl, state, shopUrl)) ?? refuseUnknownDatabase(database, folder));

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
    },
    (line) => line === 'listening',
  );
  if (isStopping) return;

  greet({
    affkitUrl,
    shopUrl,
    folder,
    partners: demo.partners,
    adminEmail: state.adminEmail,
    databaseUrl,
    password: owner?.password,
  });
  // Not before the password has been shown: from here on nobody knows it but its owner.
  notes.write({ ...demo, step: 'seeded', adminEmail: state.adminEmail, database });
}

/** @throws StartError where the demo stands in another database than the one that is named now */
function refuseOtherDatabase({ database: noted }: SeededState, current: string | undefined, folder: string) {
  if (noted === undefined || current === undefined || noted === current) return;
  const isDefault = noted === nameDatabase(defaultDatabaseUrl(folder), folder);
  throw new StartError(
    `The demo's data in DATA_DIR ${folder} belong to the database ${showDatabase(noted, folder)}, ` +
      `not to ${showDatabase(current, folder)}: ` +
      `${isDefault ? 'unset DATABASE_URL' : 'set DATABASE_URL to that one again'}, or set another DATA_DIR for another demo`,
  );
}

/** @throws StartError always: the key of a demo that noted no database does not hold in this one */
function refuseUnknownDatabase(current: string | undefined, folder: string): never {
  throw new StartError(
    `The demo's data in DATA_DIR ${folder} belong to another database than ${showDatabase(current ?? 'this', folder)}, ` +
      "which does not know the demo's key: set DATABASE_URL as it was at the first start (unset it where it was not set), " +
      `or set another DATA_DIR for another demo, or delete ${DEMO_FILES} there to begin anew`,
  );
}

function ownerOf(state: SeedingDemo) {
  return { email: state.adminEmail, password: state.adminPassword };
}

/** Who is to own the demo: the environment names it, so that what an earlier run could not use can be put right. */
function unseeded(before: SeedingDemo | null): SeedingDemo {
  return {
    step: 'seeding',
    adminEmail: process.env['ADMIN_EMAIL'] || before?.adminEmail || 'admin@example.com',
    adminPassword:
      process.env['ADMIN_PASSWORD'] || before?.adminPassword || randomBytes(15).toString('base64url'),
  };
}

try {
  await start();
} catch (error) {
  if (!isStopping) console.error(error instanceof StartError ? error.message : error);
  await stop(1);
}
