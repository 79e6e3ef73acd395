import type { JSX } from 'preact';
import * as messages from '#messages/overview.ts';
import { usePageKeys } from '../../shell/page-keys.ts';
import { Segments } from '../../ui/controls.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { PERIODS, type PeriodName, readPeriod, writePeriod } from './period.ts';

/** Sets the period in the URL. Each period also has a shortcut key. */
export function PeriodChoice(): JSX.Element {
  const [query, change] = useQueryState();
  const choose = (value: PeriodName) => change({ period: writePeriod(value) });
  usePageKeys(PERIODS.map(({ key, value, name }) => ({ key, text: name, run: () => choose(value) })));
  return (
    <Segments
      label={messages.period}
      value={readPeriod(query['period']).value}
      choices={PERIODS}
      onChange={choose}
    />
  );
}
