import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/webhooks.tsx';
import type { ItemReply } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { SelectField, TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';

type ReplayStatus = keyof typeof messages.replayStatuses;

const STATUS_CHOICES = (['failed', 'succeeded', 'all'] as const).map((value) => ({
  value,
  text: messages.replayStatuses[value],
}));

/** Sends the webhooks of a time range again. The initial dates are those of the filters. */
export function ReplayDialog({ path, onClose }: { path: string; onClose: () => void }): JSX.Element {
  const [{ dateFrom, dateTo }] = useQueryState();
  const { mutateAsync } = useChange<ItemReply<{ replayed: number }>>(path);
  const toast = useToast();
  const today = new Date().toISOString().slice(0, 10);
  const [from, setFrom] = useState(dateFrom ?? today);
  const [to, setTo] = useState(dateTo ?? today);
  const [status, setStatus] = useState<ReplayStatus>('failed');
  const [isChecked, setChecked] = useState(false);
  const rangeError = from === '' || to === '' || from > to ? messages.replayRangeWrong : null;
  const replay = async () => {
    setChecked(true);
    if (rangeError !== null) return false;
    const { data } = await mutateAsync({
      method: 'POST',
      path: `${path}/replay`,
      body: { from, to, status },
    });
    toast(messages.replayed(data.replayed));
    return true;
  };
  return (
    <FormDialog title={messages.replayTitle} submit={messages.sendAgain} onSubmit={replay} onClose={onClose}>
      <p>{messages.replayHint}</p>
      <SelectField
        label={messages.replayStatus}
        value={status}
        choices={STATUS_CHOICES}
        onChange={setStatus}
      />
      <div class="grid fields">
        <TextField label={messages.replayFrom} type="date" value={from} onInput={setFrom} />
        <TextField
          label={messages.replayTo}
          type="date"
          value={to}
          onInput={setTo}
          error={isChecked ? rangeError : null}
        />
      </div>
    </FormDialog>
  );
}
