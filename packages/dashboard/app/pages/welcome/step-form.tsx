import type { ComponentChildren, JSX } from 'preact';
import { Button } from '../../ui/controls.tsx';
import { focusInvalid } from '../../ui/focus-invalid.ts';
import { ErrorNotice } from '../../ui/state.tsx';
import { StepEnd } from './step-end.tsx';
import { StepHeading } from './step-heading.tsx';

/** The form of a step, with its button. */
export function StepForm({
  title,
  intro,
  submit,
  busy = false,
  error,
  onSubmit,
  children,
}: {
  title: string;
  intro: string;
  submit: string;
  busy?: boolean;
  error?: Error | null;
  onSubmit: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <form
      class="card stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onSubmit();
        focusInvalid(event.currentTarget);
      }}
    >
      <StepHeading title={title} intro={intro} />
      {children}
      {error && <ErrorNotice error={error} />}
      <StepEnd>
        <Button type="submit" kind="primary" busy={busy}>
          {submit}
        </Button>
      </StepEnd>
    </form>
  );
}
