import { readFileSync } from 'node:fs';

const guide = readFileSync(`${import.meta.dirname}/../../../docs/guides/tracker.md`, 'utf8');

/** The URL of the tracking server in the guide. */
export const GUIDE_SERVER = 'https://track.example.com';

/** The code blocks of the guide, with their languages. */
export const examples = [...guide.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)].map(
  ([, language = '', text = '']) => ({ language, text }),
);

/**
 * Returns the text of the guide's example that contains `part`.
 * @throws Error unless exactly one example matches
 */
export function exampleWith(language: string, part: string): string {
  const found = examples.filter((example) => example.language === language && example.text.includes(part));
  if (found.length !== 1) {
    throw new Error(`The guide must have one ${language} example with ${part}, found ${found.length}`);
  }
  return found.map(({ text }) => text).join();
}
