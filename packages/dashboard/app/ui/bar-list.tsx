import type { ComponentChildren, JSX } from 'preact';
import { Link } from './link.tsx';
import { Empty, ErrorNotice, Skeleton } from './state.tsx';

export interface Bar {
  readonly id: string;
  readonly text: string;
  readonly value: number;
  /** The page with details about the bar. */
  readonly to?: string | undefined;
  /** Whether the bar sums up other values, such as "All others". */
  readonly isRest?: boolean;
}

const LOADING_WIDTHS = ['62%', '48%', '40%', '30%', '24%', '20%', '16%', '12%'];

/**
 * A list of values with bars, largest first. It always has the height of `rows` bars, so that nothing moves
 * when the values arrive.
 */
export function BarList({
  label,
  bars,
  rows,
  format,
  error,
  onRetry,
  empty,
}: {
  label: string;
  bars: readonly Bar[] | undefined;
  rows: number;
  format: (value: number) => ComponentChildren;
  error: Error | null;
  onRetry: () => void;
  empty: string;
}): JSX.Element {
  const largest = Math.max(1, ...(bars ?? []).map(({ value }) => value));
  return (
    <div class="bars-room" style={{ '--rows': rows }}>
      {error ? (
        <ErrorNotice error={error} onRetry={onRetry} />
      ) : bars?.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <ul class="bars" aria-label={label} aria-busy={bars === undefined}>
          {bars === undefined
            ? LOADING_WIDTHS.slice(0, rows).map((width) => (
                <li key={width}>
                  <Skeleton width={width} />
                </li>
              ))
            : bars.map(({ id, text, value, to, isRest }) => (
                <li key={id}>
                  {!isRest && <span class="fill" style={{ width: `${(100 * value) / largest}%` }} />}
                  <span class={isRest ? 'text quiet' : 'text'} title={text}>
                    {to === undefined ? text : <Link to={to}>{text}</Link>}
                  </span>
                  <span>{format(value)}</span>
                </li>
              ))}
        </ul>
      )}
    </div>
  );
}
