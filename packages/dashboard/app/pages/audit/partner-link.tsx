import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { usePartner } from '../../api/use-partner.ts';
import { isolate } from '../../format/isolate.ts';
import { ProgramContext, useProgram, useSession, viewOf } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';

/** The name of a partner in any program, with a link to the partner's page. */
export function PartnerLink({ programId, id }: { programId: number | null; id: number }): JSX.Element {
  const { me, programs } = useSession();
  const program = programs.find((row) => row.id === programId);
  if (!program) return <>{common.partnerNumber(id)}</>;
  return (
    <ProgramContext.Provider value={viewOf(me, program)}>
      <LinkedName id={id} />
    </ProgramContext.Provider>
  );
}

function LinkedName({ id }: { id: number }): JSX.Element {
  const { page, may } = useProgram();
  const name = isolate(usePartner(id)?.name ?? common.partnerNumber(id));
  return may('partner:list') ? <Link to={`${page}/partners/${id}`}>{name}</Link> : <span>{name}</span>;
}
