import type { JSX } from 'preact';
import { useContext } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/shell.ts';
import { BASE_PATH, pageUrl } from '../mount.ts';
import { mayCreateProgram, ProgramContext, useSession } from '../session/session.tsx';
import { Select } from '../ui/controls.tsx';

const NEW_PROGRAM = 'new';

/** Switches to the same page of another program or, from a page of the workspace, to the program's overview. */
export function ProgramSwitch(): JSX.Element | null {
  const { me, programs } = useSession();
  const { path, route } = useLocation();
  const view = useContext(ProgramContext);
  if (view === null) return null;
  const choices = programs.map(({ id, name }) => ({ value: String(id), text: name }));
  if (mayCreateProgram(me)) choices.push({ value: NEW_PROGRAM, text: messages.newProgram });
  const change = (id: string) => {
    if (id === NEW_PROGRAM) return route(pageUrl('/welcome'));
    const [, group, , name = ''] = path.slice(BASE_PATH.length).split('/');
    const section = group === 'p' ? name : '';
    route(pageUrl(`/p/${id}${section === '' ? '' : `/${section}`}`));
  };
  return (
    <Select label={common.program} value={String(view.program.id)} choices={choices} onChange={change} />
  );
}
