// The application of a partner, as shown on the partner's page.

export const title = 'Application';
export const applied = 'Applied';
export const approvedBy = {
  email_domain: 'Approved because of the domain of the email address, which the applicant has confirmed.',
  invitation_code: 'Approved at once because of the invitation code.',
} as const;
export const invitationCode = 'Invitation code';
export const reason = 'Reason';
export const noAnswers = 'The form had no questions, or none was answered.';
export const yes = 'Yes';

export const rejectTitle = (name: string): string => `Reject ${name}?`;
export const reasonLabel = 'Reason (optional)';
export const reasonHint = 'The partner reads it. At most 500 characters.';
