import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partner.tsx';
import * as payouts from '#messages/payout-settings.ts';
import type { PartnerDetail } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { parseMoney, toInput } from '../../format/amount-input.ts';
import { formatList } from '../../format/list.ts';
import { formatMoney } from '../../format/money.ts';
import { useProgram } from '../../session/session.tsx';
import { TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { checkPerson, PersonFields } from '../../ui/person-fields.tsx';

/** A dialog to change the name, the email address, and the minimum payout of a partner. */
export function EditPartner({
  partner,
  onClose,
}: {
  partner: PartnerDetail;
  onClose: () => void;
}): JSX.Element {
  const { api, program } = useProgram();
  const { min_payout_cents: stored } = partner;
  const { mutateAsync } = useChange(api);
  const [person, setPerson] = useState({ name: partner.name, email: partner.email });
  const [minimum, setMinimum] = useState(stored === null ? '' : toInput(stored, program.currency));
  const [isChecked, setChecked] = useState(false);
  const errors = checkPerson(person);
  const minimumCents = minimum.trim() === '' ? null : (parseMoney(minimum, program.currency) ?? 0);
  const others = partner.balances.flatMap(({ currency }) =>
    currency !== program.currency && minimumCents !== null ? [formatMoney(minimumCents, currency)] : [],
  );
  const save = async () => {
    setChecked(true);
    if (Object.keys(errors).length > 0 || minimumCents === 0) return false;
    const name = person.name.trim();
    const email = person.email.trim();
    const body = {
      ...(name !== partner.name && { name }),
      ...(email !== partner.email && { email }),
      ...(minimumCents !== stored && { min_payout_cents: minimumCents }),
    };
    if (Object.keys(body).length === 0) return true;
    return mutateAsync({ method: 'PUT', path: `${api}/partners/${partner.id}`, body });
  };
  return (
    <FormDialog title={messages.editTitle} submit={common.save} onSubmit={save} onClose={onClose}>
      <PersonFields
        person={person}
        onChange={setPerson}
        errors={isChecked ? errors : {}}
        emailHint={messages.emailHint}
      />
      <TextField
        label={payouts.minimum(program.currency)}
        hint={others.length === 0 ? payouts.ownMinimumHint : payouts.sameNumber(formatList(others))}
        inputMode="decimal"
        value={minimum}
        error={minimumCents === 0 ? payouts.minimumInvalid : null}
        onInput={setMinimum}
      />
    </FormDialog>
  );
}
