import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { TextField } from './controls.tsx';

/** The fields of a person in a form. */
export interface Person {
  readonly name: string;
  readonly email: string;
}

/** Error messages by field. */
type PersonErrors = Readonly<Partial<Record<keyof Person, string>>>;

export function checkPerson({ name, email }: Person): PersonErrors {
  return {
    ...(name.trim() === '' && { name: common.nameMissing }),
    ...(!/^[^\s@]+@\S+$/.test(email.trim()) && { email: common.emailMissing }),
  };
}

/** The fields for the name and email address of a partner or member. */
export function PersonFields({
  person,
  onChange,
  errors,
  emailHint,
}: {
  person: Person;
  onChange: (person: Person) => void;
  errors: PersonErrors;
  emailHint?: string;
}): JSX.Element {
  return (
    <>
      <TextField
        label={common.name}
        value={person.name}
        onInput={(name) => onChange({ ...person, name })}
        error={errors.name}
        autofocus
      />
      <TextField
        label={common.email}
        type="email"
        hint={emailHint}
        value={person.email}
        onInput={(email) => onChange({ ...person, email })}
        error={errors.email}
      />
    </>
  );
}
