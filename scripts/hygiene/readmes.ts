import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '..', '..', 'packages');

/** Returns the first TypeScript block of the package's README, which must be a complete program. */
function exampleOf(name: string): string {
  const readme = readFileSync(join(packages, name, 'README.md'), 'utf8');
  const [, code] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  if (code === undefined) throw new Error(`packages/${name}/README.md must show an example`);
  return code;
}

/** The packages whose README begins with a program. The README of the server begins with a command. */
const WITH_PROGRAM = ['core', 'dashboard', 'node', 'protocol', 'testing', 'tracker'];

/** The files that {@link writeExamples} writes. */
export const EXAMPLES = WITH_PROGRAM.map((name) => `${name}.mts`);

/** Declares the shop's own values, which the example of the SDK uses but does not declare. */
const SHOP = `
const request = { cookies: { service_click_id: process.env['CLICK_ID'] } };
const user = { id: 'user-1', email: 'user@shop.example' };
const payment = { id: 'payment-1' };
const refund = { id: 'refund-1' };
`;

/** Writes the example of each package's README into a project. */
export function writeExamples(project: string): void {
  for (const name of WITH_PROGRAM) {
    writeFileSync(join(project, `${name}.mts`), (name === 'node' ? SHOP : '') + exampleOf(name));
  }
}
