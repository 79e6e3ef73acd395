import type { ComponentChildren, JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { HasShownStep } from './step-heading.tsx';

const DOUBLE_CLICK_MS = 400;

/**
 * The buttons at the end of a step. The button of the next step can appear under the pointer. The second click of a
 * double click is therefore ignored.
 */
export function StepEnd({ children }: { children: ComponentChildren }): JSX.Element {
  const hasShown = useContext(HasShownStep);
  const [shownAt] = useState(() => (hasShown.current ? performance.now() : Number.NEGATIVE_INFINITY));
  return (
    <div
      class="dialog-end"
      onClickCapture={(event) => {
        // Clicks by the keyboard have `detail` 0 and are never ignored. `timeStamp` is the time when the user clicked,
        // so the result does not depend on the speed of the computer.
        if (event.detail === 0 || event.timeStamp - shownAt > DOUBLE_CLICK_MS) return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      {children}
    </div>
  );
}
