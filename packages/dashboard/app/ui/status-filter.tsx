import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { Select } from './controls.tsx';
import { useQueryState } from './use-query-state.ts';

/** A filter by status, which is stored as `status` in the URL. */
export function StatusFilter({
  statuses,
}: {
  statuses: readonly (keyof typeof common.statuses)[];
}): JSX.Element {
  const [{ status = '' }, change] = useQueryState();
  const choices = statuses.map((value) => ({ value, text: common.statuses[value] }));
  return (
    <Select
      label={common.status}
      value={status}
      choices={[{ value: '', text: common.allStatuses }, ...choices]}
      onChange={(value) => change({ status: value })}
    />
  );
}
