import { expect, test } from 'vitest';
import { readImports } from './imports.ts';

test('finds every way to load a module and whether it is type-only', () => {
  const source = `
    import a from 'default';
    import * as b from 'namespace';
    import { type C } from 'inline-type';
    import 'side-effect';
    import type { D } from 'type';
    export { e } from 'export';
    export type { F } from 'export-type';
    export * from 'export-all';
    let g: import('import-type').G;
    const h = await import('dynamic');
    const i = import.meta.resolve('resolved');
    const j = require('required');
    const k = "import { l } from 'text'"; // import 'comment'
    m.resolve('unrelated');
  `;
  expect(readImports('file.ts', source)).toEqual([
    { specifier: 'default', isTypeOnly: false },
    { specifier: 'namespace', isTypeOnly: false },
    { specifier: 'inline-type', isTypeOnly: false },
    { specifier: 'side-effect', isTypeOnly: false },
    { specifier: 'type', isTypeOnly: true },
    { specifier: 'export', isTypeOnly: false },
    { specifier: 'export-type', isTypeOnly: true },
    { specifier: 'export-all', isTypeOnly: false },
    { specifier: 'import-type', isTypeOnly: true },
    { specifier: 'dynamic', isTypeOnly: false },
    { specifier: 'resolved', isTypeOnly: false },
    { specifier: 'required', isTypeOnly: false },
  ]);
});
