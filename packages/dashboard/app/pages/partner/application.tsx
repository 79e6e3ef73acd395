import type { JSX } from 'preact';
import * as messages from '#messages/application.ts';
import type { PartnerDetail } from '../../api/types.ts';
import { Time } from '../../ui/values.tsx';

type Application = NonNullable<PartnerDetail['application']>;
type Answer = Application['answers'][number];

/** The answers in a partner's application. */
export function PartnerApplication({
  application,
  reason,
}: {
  application: Application;
  reason: string | null;
}): JSX.Element {
  const { answers, applied_at, approved_by, invitation_code } = application;
  return (
    <section class="card" aria-labelledby="application">
      <h2 id="application">{messages.title}</h2>
      {approved_by !== null && <p>{messages.approvedBy[approved_by]}</p>}
      <dl class="facts">
        <dt>{messages.applied}</dt>
        <dd>
          <Time at={applied_at} />
        </dd>
        {invitation_code !== null && (
          <>
            <dt>{messages.invitationCode}</dt>
            <dd>{invitation_code}</dd>
          </>
        )}
        {reason !== null && (
          <>
            <dt>{messages.reason}</dt>
            <dd>{reason}</dd>
          </>
        )}
      </dl>
      {answers.length === 0 ? (
        <p class="quiet">{messages.noAnswers}</p>
      ) : (
        <dl class="answers">
          {answers.map((answer) => (
            <AnswerFact key={answer.question} answer={answer} />
          ))}
        </dl>
      )}
    </section>
  );
}

function AnswerFact({ answer: { label, type, answer } }: { answer: Answer }): JSX.Element {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {type === 'checkbox' ? (
          messages.yes
        ) : type === 'url' ? (
          <a href={answer} target="_blank" rel="noreferrer">
            {answer}
          </a>
        ) : (
          answer
        )}
      </dd>
    </>
  );
}
