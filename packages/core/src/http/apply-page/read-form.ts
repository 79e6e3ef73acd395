import { applicationRequest } from '@affkit/protocol';
import type { z } from 'zod';
import type { Rejection } from '../../rejection.ts';
import { parse } from '../parse.ts';

/** The prefix of form fields that contain answers to questions. */
const ANSWER_PREFIX = 'answer.';

/** The fields of a submitted form, as the visitor entered them. */
export type FormFields = ReadonlyMap<string, string>;

/** Returns the name of the form field for a question's answer. */
export function answerField(questionId: string): string {
  return ANSWER_PREFIX + questionId;
}

/** Reads a body in `application/x-www-form-urlencoded`. If a field is repeated, its first value is used. */
export function readFormFields(bytes: Uint8Array): FormFields {
  const pairs = [...new URLSearchParams(new TextDecoder().decode(bytes))];
  // Browsers send a line break in a text area as CRLF.
  return new Map(pairs.reverse().map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]));
}

/**
 * Parses the form in the same way as a JSON application. Empty fields count as absent.
 * @param tokenField the field of the captcha's token, or null if there is no captcha
 */
export function parseApplicationForm(
  fields: FormFields,
  tokenField: string | null,
): z.output<typeof applicationRequest> | Rejection {
  const given = [...fields]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name === tokenField ? 'captcha_token' : name, value] as const);
  const answers = given
    .filter(([name]) => name.startsWith(ANSWER_PREFIX))
    .map(([name, answer]) => ({ question: name.slice(ANSWER_PREFIX.length), answer }));
  const others = Object.fromEntries(given.filter(([name]) => !name.startsWith(ANSWER_PREFIX)));
  return parse(applicationRequest, {
    ...others,
    answers,
    terms_accepted: fields.get('terms_accepted') === 'yes',
  });
}
