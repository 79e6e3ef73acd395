import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '..', '..', 'packages');

/** Returns the first TypeScript block of the package's README, which must be a complete program. */
export function exampleOf(name: string): string {
  const readme = readFileSync(join(packages, name, 'README.md'), 'utf8');
  const [, code] = /^```ts\n(.*?)^```$/ms.exec(readme) ?? [];
  if (code === undefined) throw new Error(`packages/${name}/README.md must show an example`);
  return code;
}
