import type { JSX } from 'preact';
import * as messages from '#messages/audit.tsx';
import type { FieldChange } from './changes.ts';
import { PartnerLink } from './partner-link.tsx';

const SHOWN_CHANGES = 4;

interface ChangesOfProgram {
  readonly changes: readonly FieldChange[];
  readonly programId: number | null;
}

/**
 * The changed fields, each with the old and the new value. If there are many fields, only the first are shown
 * until the user asks for all.
 */
export function Changes({ changes, programId }: ChangesOfProgram): JSX.Element | null {
  if (changes.length === 0) return <span class="quiet">–</span>;
  // If only one more field is left, show it, because a button would take as much space.
  const shown = changes.length === SHOWN_CHANGES + 1 ? SHOWN_CHANGES + 1 : SHOWN_CHANGES;
  const rest = changes.slice(shown);
  return (
    <>
      <ChangedFields changes={changes.slice(0, shown)} programId={programId} />
      {rest.length > 0 && (
        <details>
          <summary class="quiet small">{messages.moreFields(rest.length)}</summary>
          <ChangedFields changes={rest} programId={programId} />
        </details>
      )}
    </>
  );
}

function ChangedFields({ changes, programId }: ChangesOfProgram): JSX.Element {
  const isUpdate = changes.some(({ before, after }) => before !== null && after !== null);
  return (
    <ul class={isUpdate ? 'changes' : 'changes flow'}>
      {changes.map(({ name, field, before, after }) => (
        <li key={field}>
          <span class="quiet">{messages.field(field)}</span>
          {before !== null && (
            <bdi>{after === null ? <s>{before}</s> : <span class="quiet">{before}</span>}</bdi>
          )}
          {before !== null && after !== null && (
            <>
              <span aria-hidden="true"> → </span>
              <span class="hidden">{messages.changedTo}</span>
            </>
          )}
          <bdi>
            {name === 'partner_id' && Number(after) > 0 ? (
              <PartnerLink programId={programId} id={Number(after)} />
            ) : (
              after
            )}
          </bdi>
        </li>
      ))}
    </ul>
  );
}
