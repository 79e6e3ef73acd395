import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/webhooks.tsx';
import type { ItemReply, WebhookEndpoint, WebhookEndpointWithSecret } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { CheckField, TextField } from '../../ui/controls.tsx';
import { CopySecret } from '../../ui/copy-secret.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ResultDialog } from '../../ui/result-dialog.tsx';
import { EVENT_GROUPS, EVENT_TYPES, type EventType } from './event-types.ts';

/** Adds an endpoint and then shows its secret, or edits an endpoint. */
export function EndpointDialog({
  endpoint,
  onClose,
}: {
  /** The endpoint to edit. */
  endpoint?: WebhookEndpoint;
  onClose: () => void;
}): JSX.Element {
  const path = `${useProgram().api}/webhook-endpoints`;
  const { mutateAsync } = useChange<ItemReply<WebhookEndpointWithSecret>>(path);
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [types, setTypes] = useState<ReadonlySet<EventType>>(new Set(endpoint?.event_types));
  const [isChecked, setChecked] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) return <SecretDialog secret={secret} onClose={onClose} />;

  const urlError = url.trim() === '' ? messages.urlMissing : null;
  const typesError = types.size === 0 ? messages.eventsMissing : null;
  const save = async () => {
    setChecked(true);
    if (urlError ?? typesError) return false;
    const text = description.trim();
    const body = { url: url.trim(), event_types: [...types] };
    if (endpoint) {
      const changed = { ...body, description: text === '' ? null : text };
      await mutateAsync({ method: 'PUT', path: `${path}/${endpoint.id}`, body: changed });
      return true;
    }
    const created = { ...body, ...(text !== '' && { description: text }) };
    const ifLost = messages.lost;
    setSecret((await mutateAsync({ method: 'POST', path, body: created, ifLost })).data.secret);
    return false;
  };
  return (
    <FormDialog
      title={endpoint ? messages.editTitle : messages.create}
      submit={endpoint ? common.save : messages.createSubmit}
      wide
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={messages.url}
        hint={messages.urlHint}
        type="url"
        value={url}
        onInput={setUrl}
        error={isChecked ? urlError : null}
        autofocus
      />
      <TextField
        label={messages.descriptionField}
        hint={messages.descriptionHint}
        value={description}
        onInput={setDescription}
      />
      <EventTypeFields chosen={types} onChange={setTypes} error={isChecked ? typesError : null} />
    </FormDialog>
  );
}

/** Shows a new secret once. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }): JSX.Element {
  return (
    <ResultDialog title={messages.secretTitle} onClose={onClose}>
      <CopySecret label={messages.secret} hint={messages.secretHint} text={secret} />
    </ResultDialog>
  );
}

/** A check box for each type of event, in groups. */
function EventTypeFields({
  chosen,
  onChange,
  error,
}: {
  chosen: ReadonlySet<EventType>;
  onChange: (chosen: ReadonlySet<EventType>) => void;
  error: string | null;
}): JSX.Element {
  const toggle = (type: EventType, isOn: boolean) =>
    onChange(new Set(EVENT_TYPES.filter((other) => (other === type ? isOn : chosen.has(other)))));
  return (
    <div class="stack tight">
      <CheckField
        label={messages.allEvents}
        checked={chosen.size === EVENT_TYPES.length}
        onChange={(isOn) => onChange(new Set(isOn ? EVENT_TYPES : []))}
      />
      <div class="check-groups">
        {EVENT_GROUPS.map(({ title, types }) => (
          <fieldset key={title} class="checks">
            <legend>{title}</legend>
            {types.map((type) => (
              <CheckField
                key={type}
                label={<code>{type}</code>}
                hint={messages.eventTypes[type]}
                checked={chosen.has(type)}
                onChange={(isOn) => toggle(type, isOn)}
              />
            ))}
          </fieldset>
        ))}
      </div>
      {error !== null && (
        <span class="field">
          <span class="error" role="alert">
            {error}
          </span>
        </span>
      )}
    </div>
  );
}
