import { createContext, type JSX } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';

/** Whether another step has been shown since the page was opened. */
export const HasShownStep = createContext({ current: false });

/**
 * The title of a step. It gets the focus if another step was shown before. Otherwise, the title of the page
 * has the focus.
 */
export function StepHeading({
  id,
  title,
  intro,
}: {
  id?: string;
  title: string;
  intro: string;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  const hasShown = useContext(HasShownStep);
  // A later effect could take the focus from a field that the user has already chosen.
  useLayoutEffect(() => {
    if (hasShown.current) heading.current?.focus();
    hasShown.current = true;
  }, [hasShown]);
  return (
    <div>
      <h2 id={id} tabIndex={-1} ref={heading}>
        {title}
      </h2>
      <p class="quiet">{intro}</p>
    </div>
  );
}
