import { readFileSync } from 'node:fs';

const guide = readFileSync(`${import.meta.dirname}/../../../docs/guides/tracker.md`, 'utf8');

/** The guide's name for the tracking server. */
export const GUIDE_SERVER = 'https://track.example.com';

/** The examples of the guide, each with the language that it names. */
export const examples = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(
  ([, language = '', text = '']) => ({ language, text }),
);

/** The text of the guide's only example in that language which has that in it. */
export function exampleWith(language: string, part: string): string {
  const found = examples.filter((example) => example.language === language && example.text.includes(part));
  if (found.length !== 1) throw new Error(`The guide has ${found.length} ${language} examples with ${part}`);
  return found.map(({ text }) => text).join();
}
