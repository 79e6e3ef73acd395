const LAST_STEP_KEY = 'affkit-step';

/** The setup step of this program that the user saw last, or null. */
export function lastStep(programId: number): string | null {
  try {
    const [id, step] = localStorage.getItem(LAST_STEP_KEY)?.split(' ') ?? [];
    return id === String(programId) ? (step ?? null) : null;
  } catch {
    return null;
  }
}

/** Stores the step. If the browser blocks storage, the setup continues with the first unfinished step. */
export function rememberStep(programId: number, step: string): void {
  try {
    localStorage.setItem(LAST_STEP_KEY, `${programId} ${step}`);
  } catch {}
}
