// The application of a partner, as shown on the partner's page.

export const title = 'Application';
export const applied = 'Applied';
export const approvedBy = {
  email_domain:
    'Approved automatically: the program approves this email domain, and the applicant confirmed the address.',
  invitation_code: 'Approved automatically: the application had a valid invitation code.',
} as const;
export const invitationCode = 'Invitation code';
export const reason = 'Reason';
export const noAnswers = 'The application contains no answers.';
export const yes = 'Yes';
