import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/welcome.tsx';
import type { CreatedProgram, ProgramSetup } from '../../api/types.ts';
import { pageUrl } from '../../mount.ts';
import { mayCreateProgram, ProgramContext, useProgram, useSession, viewOf } from '../../session/session.tsx';
import { rememberProgram } from '../../shell/last-program.ts';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { type QueryState, useQueryState } from '../../ui/use-query-state.ts';
import { useSetup } from '../setup/live-check.tsx';
import { ClickStep } from './click-step.tsx';
import { CommissionStep } from './commission-step.tsx';
import { lastStep, rememberStep } from './last-step.ts';
import { PartnerStep } from './partner-step.tsx';
import { checkProgram, type ProgramDraft, termsOf } from './program-draft.ts';
import { ProgramStep } from './program-step.tsx';
import { SiteStep } from './site-step.tsx';
import { HasShownStep } from './step-heading.tsx';
import { WELCOME_STEPS, type WelcomeStep, WelcomeSteps } from './steps.tsx';

/**
 * Guides a new user up to the first recorded click. The URL contains the program, or the draft of a program.
 */
export function Welcome(): JSX.Element {
  return (
    <HasShownStep.Provider value={useRef(false)}>
      <WelcomePage />
    </HasShownStep.Provider>
  );
}

function WelcomePage(): JSX.Element {
  const { me, programs } = useSession();
  const [query] = useQueryState();
  const { program: programId } = query;
  const [{ created, draftKey }, setCreated] = useState<Creation>({ created: null, draftKey: '' });
  const known = programs.find(({ id }) => String(id) === programId);
  const program = known ?? (String(created?.id) === programId ? created : null);
  if (program) {
    const token = created?.id === program.id ? created.api_token : null;
    return (
      <ProgramContext.Provider value={viewOf(me, program)}>
        <Page title={program.name} intro={messages.connectIntro}>
          <ConnectProgram programId={program.id} token={token} />
        </Page>
      </ProgramContext.Provider>
    );
  }
  if (!mayCreateProgram(me)) return <AskSomebody />;
  if (created && keyOf(query) === draftKey) return <Reopen program={created} />;
  return (
    <Page
      title={programs.length === 0 ? messages.welcomeToAffkit : messages.newProgram}
      intro={messages.createIntro}
    >
      <CreateProgram onCreated={(next) => setCreated({ created: next, draftKey: keyOf(query) })} />
    </Page>
  );
}

interface Creation {
  readonly created: CreatedProgram | null;
  /** Identifies the draft of the created program. */
  readonly draftKey: string;
}

function keyOf({ name, site_url, currency, workspace }: QueryState): string {
  return JSON.stringify([name, site_url, currency, workspace]);
}

/** If the browser's Back button opens the draft of a created program, this opens the program's setup instead. */
function Reopen({ program: { id } }: { program: CreatedProgram }): null {
  const { route } = useLocation();
  useEffect(() => route(pageUrl(`/welcome?program=${id}&step=site`), true), [id, route]);
  return null;
}

/** Shown to a user who may not create a program. */
function AskSomebody(): JSX.Element {
  const { me, programs } = useSession();
  const names = me.workspaces.map(({ name }) => name);
  return (
    <Page title={messages.welcome}>
      <Empty>
        {programs.length > 0 ? messages.creationForbidden : messages.noProgram}{' '}
        {names.length === 0 ? messages.askOwner : messages.askToCreate(names)}
      </Empty>
    </Page>
  );
}

function CreateProgram({ onCreated }: { onCreated: (created: CreatedProgram) => void }): JSX.Element {
  const { me } = useSession();
  const { route } = useLocation();
  const [query, change] = useQueryState();
  // The terms are in the URL of the second step. The state keeps them after a return to the first step.
  const [terms, setTerms] = useState(() => termsOf(query));
  const workspaces = me.workspaces.filter(({ permissions }) => permissions.includes('program:create'));
  const draft: ProgramDraft = {
    name: query['name'] ?? '',
    site: query['site_url'] ?? '',
    currency: query['currency'] ?? 'USD',
    workspaceId: query['workspace'] ?? String(workspaces[0]?.id ?? ''),
  };
  const isDrafted = query['step'] === 'commission' && Object.keys(checkProgram(draft)).length === 0;
  const step: WelcomeStep = isDrafted ? 'commission' : 'program';
  const urlOf = (target: WelcomeStep, { name, site, currency, workspaceId } = draft) =>
    `/welcome?${new URLSearchParams({ ...terms, step: target, name, site_url: site, currency, workspace: workspaceId })}`;
  const finish = (created: CreatedProgram) => {
    rememberProgram(created.id);
    onCreated(created);
    route(pageUrl(`/welcome?program=${created.id}&step=site`), true);
  };
  return (
    <div class="stack wide welcome">
      <WelcomeSteps current={step} urlOf={(target) => (target === 'program' ? urlOf('program') : null)} />
      {isDrafted ? (
        <CommissionStep
          program={draft}
          draft={terms}
          onChange={(next) => {
            setTerms(next);
            change({ ...next }, true);
          }}
          onCreated={finish}
        />
      ) : (
        <ProgramStep
          draft={draft}
          workspaces={workspaces}
          onNext={(next) => {
            // The browser's Back button then returns to the first step, with the same values in its fields.
            route(pageUrl(urlOf('program', next)), true);
            route(pageUrl(urlOf('commission', next)));
          }}
        />
      )}
    </div>
  );
}

/**
 * The steps after the program has been created. If the URL contains no step, the first unfinished step is
 * shown.
 */
function ConnectProgram({ programId, token }: { programId: number; token: string | null }): JSX.Element {
  const [{ step: named }] = useQueryState();
  const { page, may } = useProgram();
  const { route } = useLocation();
  const { setup, error, retry } = useSetup();
  const urlOf = (target: WelcomeStep) => `/welcome?program=${programId}&step=${target}`;
  const step = WELCOME_STEPS.slice(2).find((name) => name === named);
  const openUrl = setup && urlOf(openStep(setup, lastStep(programId)));
  useEffect(() => {
    if (step) rememberStep(programId, step);
    // Put the step into the URL. It then remains open, even when it is finished, until the user continues.
    else if (openUrl) route(pageUrl(openUrl), true);
  }, [programId, step, openUrl, route]);
  if (!step) return error ? <ErrorNotice error={error} onRetry={retry} /> : <Skeleton height="320px" />;
  return (
    <div class="stack wide welcome">
      <WelcomeSteps
        current={step}
        skipped={setup && hasPartner(setup) ? [] : ['partner']}
        urlOf={(target) => (WELCOME_STEPS.indexOf(target) < 2 ? null : urlOf(target))}
      />
      {step === 'site' && <SiteStep token={token} next={urlOf('partner')} />}
      {step === 'partner' && <PartnerStep next={urlOf('click')} />}
      {step === 'click' && <ClickStep partnerStep={urlOf('partner')} />}
      {may('program:update') && may('policy:list') && (
        <p class="quiet small">
          {messages.changeLater(
            (text) => (
              <Link to={`${page}/settings`}>{text}</Link>
            ),
            (text) => (
              <Link to={`${page}/policies`}>{text}</Link>
            ),
          )}
        </p>
      )}
    </div>
  );
}

/**
 * Returns the first unfinished step.
 * @param last the step that the user saw last; no other data shows whether the tracker is on the site
 */
function openStep(setup: ProgramSetup, last: string | null): WelcomeStep {
  if (hasPartner(setup)) return 'click';
  return last === null || last === 'site' ? 'site' : 'partner';
}

/** Whether a partner is approved. The partner step is then finished. */
function hasPartner({ steps }: ProgramSetup): boolean {
  return steps.every(({ missing }) => missing.every(({ reason }) => reason !== 'no_approved_partner'));
}
