import type { ComponentChildren, JSX } from 'preact';
import { Button } from '../../ui/controls.tsx';
import { ErrorNotice } from '../../ui/state.tsx';

/** The form of a step, with its button. */
export function StepForm({
  title,
  intro,
  submit,
  busy = false,
  error,
  onSubmit,
  children,
  end,
}: {
  title: string;
  intro: string;
  submit: string;
  busy?: boolean;
  error?: Error | null;
  onSubmit: () => void;
  children: ComponentChildren;
  /** A further action beside the button. */
  end?: ComponentChildren;
}): JSX.Element {
  return (
    <form
      class="card stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onSubmit();
      }}
    >
      <div>
        <h2>{title}</h2>
        <p class="quiet">{intro}</p>
      </div>
      {children}
      {error && <ErrorNotice error={error} />}
      <div class="dialog-end">
        {end}
        <Button type="submit" kind="primary" busy={busy}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
