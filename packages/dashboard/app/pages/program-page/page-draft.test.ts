import { expect, test } from 'vitest';
import { isComplete, newQuestion, pageBodyOf, pageDraftOf } from './page-draft.ts';

const page = {
  published: true,
  description: 'Tea',
  terms: null,
  logo: null,
  accent_color: '#0a7d4f',
  questions: [
    { id: 'blog', label: 'Your blog', type: 'url' as const, required: true },
    { id: 'size', label: 'Readers', type: 'choice' as const, required: false, options: ['few', 'many'] },
  ],
  embed_origins: ['https://blog.example'],
  auto_approve_domains: [],
  invitation_codes: ['SPRING', 'FALL'],
};

test('only changed settings are sent', () => {
  const draft = pageDraftOf(page);
  expect(pageBodyOf(draft, page)).toEqual({});
  expect(pageBodyOf({ ...draft, published: false, description: ' Tea\n' }, page)).toEqual({
    published: false,
  });
  const questions = draft.questions.map((question) => ({ ...question, required: true }));
  expect(pageBodyOf({ ...draft, questions }, page)).toEqual({
    questions: page.questions.map((question) => ({ ...question, required: true })),
  });
});

test('empty lines and texts are left out', () => {
  const draft = { ...pageDraftOf(page), description: ' \n', invitation_codes: ' SPRING \n\n' };
  expect(pageBodyOf(draft, page)).toEqual({ description: null, invitation_codes: ['SPRING'] });
});

test('a new question has an unused id and needs a label, and a choice also needs options', () => {
  const { questions } = pageDraftOf(page);
  const third = newQuestion(questions);
  const [, ...rest] = [...questions, third];
  expect(newQuestion(rest).id).not.toBe(third.id);
  expect(isComplete(third)).toBe(false);
  expect(isComplete({ ...third, label: 'Why?' })).toBe(true);
  expect(isComplete({ ...third, label: 'Why?', type: 'choice' })).toBe(false);
});
