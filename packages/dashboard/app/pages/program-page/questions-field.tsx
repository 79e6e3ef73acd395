import type { JSX } from 'preact';
import * as messages from '#messages/program-page.ts';
import { Button, CheckField, SelectField, TextField } from '../../ui/controls.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { linesOf, newQuestion, type QuestionDraft, type QuestionType } from './page-draft.ts';

export const MAX_QUESTIONS = 20;

const QUESTION_TYPES = Object.entries(messages.types).map(([value, text]) => ({
  // The cast is safe because the keys of the texts are the types of the API.
  value: value as QuestionType,
  text,
}));

/** The questions of the application form, in order. */
export function QuestionsField({
  questions,
  isChecked,
  onChange,
}: {
  questions: readonly QuestionDraft[];
  /** Whether to mark missing values. */
  isChecked: boolean;
  onChange: (questions: readonly QuestionDraft[]) => void;
}): JSX.Element {
  const replace = (index: number, change: Partial<QuestionDraft>) =>
    onChange(questions.map((other, at) => (at === index ? { ...other, ...change } : other)));
  const moveUp = (index: number) =>
    onChange(
      questions.flatMap((each, at) => {
        if (at === index) return [];
        return at === index - 1 ? [...questions.slice(index, index + 1), each] : [each];
      }),
    );
  return (
    <>
      {questions.map((question, index) => (
        <fieldset key={question.id} class="card stack">
          <legend class="hidden">{messages.question(index + 1)}</legend>
          <div class="row apart">
            <strong aria-hidden="true">{messages.question(index + 1)}</strong>
            <span class="row tight">
              {questions.length > 1 && (
                <Button
                  kind="plain"
                  icon="up"
                  label={messages.moveUp(index + 1)}
                  disabled={index === 0}
                  onClick={() => moveUp(index)}
                />
              )}
              <Button
                kind="plain"
                icon="close"
                label={messages.removeQuestion(index + 1)}
                onClick={() => onChange(questions.filter((_, at) => at !== index))}
              />
            </span>
          </div>
          <TextField
            label={messages.label}
            value={question.label}
            maxLength={255}
            error={isChecked && question.label.trim() === '' ? messages.labelMissing : null}
            onInput={(label) => replace(index, { label })}
          />
          <SelectField
            label={messages.type}
            value={question.type}
            choices={QUESTION_TYPES}
            onChange={(type) => replace(index, { type })}
          />
          {question.type === 'choice' && (
            <TextArea
              label={messages.options}
              hint={messages.optionsHint}
              value={question.options}
              error={isChecked && linesOf(question.options).length === 0 ? messages.optionsMissing : null}
              onInput={(options) => replace(index, { options })}
            />
          )}
          <CheckField
            label={messages.required}
            checked={question.required}
            onChange={(required) => replace(index, { required })}
          />
        </fieldset>
      ))}
      <div>
        <Button
          disabled={questions.length >= MAX_QUESTIONS}
          onClick={() => onChange([...questions, newQuestion(questions)])}
        >
          {messages.addQuestion}
        </Button>
      </div>
    </>
  );
}
