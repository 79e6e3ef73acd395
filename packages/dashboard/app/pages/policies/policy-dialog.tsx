import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/policies.ts';
import type { Policy } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { checkPolicyDraft, policyBodyOf, policyDraftOf } from './policy-draft.ts';
import { PolicyFields } from './policy-fields.tsx';

/** Adds a policy, or changes the terms of a policy for future sales. */
export function PolicyDialog({
  policy,
  onClose,
}: {
  policy: Policy | null;
  onClose: () => void;
}): JSX.Element {
  const { api, program } = useProgram();
  const path = `${api}/commission-policies`;
  const { mutateAsync } = useChange(path);
  const [draft, setDraft] = useState(() => policyDraftOf(policy, program.currency));
  const [isChecked, setChecked] = useState(false);
  const errors = checkPolicyDraft(draft, program.currency);
  const save = async () => {
    setChecked(true);
    if (Object.keys(errors).length > 0) return false;
    if (policy === null)
      return mutateAsync({ method: 'POST', path, body: policyBodyOf(draft, program.currency) });
    const terms = policyBodyOf({ ...draft, productId: '', partnerId: '' }, program.currency);
    return mutateAsync({ method: 'PUT', path: `${path}/${policy.id}`, body: terms });
  };
  return (
    <FormDialog
      title={policy === null ? messages.add : messages.editTitle}
      submit={policy === null ? common.add : common.save}
      wide
      onSubmit={save}
      onClose={onClose}
    >
      <PolicyFields
        draft={draft}
        onChange={setDraft}
        errors={isChecked ? errors : {}}
        currency={program.currency}
        scope={policy === null}
      />
      <p class="quiet small">{messages.fromNowOn}</p>
    </FormDialog>
  );
}
