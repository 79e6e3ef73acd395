import { createContext, type JSX } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';

/** Whether a step has been shown since the page was opened. */
export const HasShownStep = createContext({ current: false });

/**
 * Title of a step. It gets the focus when its step follows another step. For the first step, the title of the
 * page gets the focus.
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
  useEffect(() => {
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
