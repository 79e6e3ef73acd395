import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findTextProblems } from './dashboard-texts.ts';

const app = join(import.meta.dirname, '../../packages/dashboard/app');

test('every text of the dashboard is in a message file', () => {
  const paths = globSync('**/*.{ts,tsx}', { cwd: app })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/^messages\/|\.(?:test|d)\.ts$/.test(path));
  const problems = paths.flatMap((path) =>
    findTextProblems({ path, text: readFileSync(join(app, path), 'utf8') }),
  );
  expect(problems).toEqual([]);
});

test.each([
  ['<p>Nothing yet</p>', 'Nothing yet'],
  ['<p>{isTable ? "as chart" : name}</p>', 'as chart'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template
  ['<p>{count > 0 && `${count} selected`}</p>', '… selected'],
  ['<Field label={isNew ? "new" : name} />', 'new'],
  ['<img alt="logo" />', 'logo'],
  ['const column = { title: "device" };', 'device'],
  ['const NAMES = { click: "Click" };', 'Click'],
  ['const text = "no sale has arrived";', 'no sale has arrived'],
  ['toast(error?.message ?? "failed");', 'failed'],
  ['throw new ApiError("failed", 0);', 'failed'],
  ['const error = new Error("failed");', 'failed'],
])('reports the text in %s', (text, shown) => {
  expect(findTextProblems({ path: 'a.tsx', text })).toEqual([`a.tsx:1 has the text "${shown}"`]);
});

test.each([
  '<p>{messages.none}: {name}</p>',
  '<p class={isRest ? "text quiet" : "Wide"}>·</p>',
  '<p>{status === "Paid" && <Icon name="check" />}</p>',
  '<Field label={messages.name} placeholder="https://shop.example" />',
  'switch (event.key) { case "Home": case "Page Up": }',
  'type Kind = "Page" | "Program"; import { a } from "Some Where";',
  'const snippet = { code: "npm install affkit" };',
  'throw new Error("useProgram needs a page of a program");',
  'const currencies = "USD EUR".split(" ");',
])('reports no text in %s', (text) => {
  expect(findTextProblems({ path: 'a.tsx', text })).toEqual([]);
});
