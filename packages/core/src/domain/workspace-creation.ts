/** Who may create a workspace: users who own one already, or every signed-in user. */
export const WORKSPACE_CREATION = ['owner', 'anyone'] as const;

export type WorkspaceCreation = (typeof WORKSPACE_CREATION)[number];
