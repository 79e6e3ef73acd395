import { z } from 'zod';

const step = z.looseObject({ uses: z.string().optional(), run: z.string().optional() });
const job = z.looseObject({
  uses: z.string().optional(),
  needs: z.union([z.string(), z.array(z.string())]).optional(),
  permissions: z.record(z.string(), z.string()).optional(),
  'timeout-minutes': z.number().optional(),
  steps: z.array(step).optional(),
});
const workflow = z.looseObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(z.string(), job),
});

/** What a workflow may refer to. */
export interface Repository {
  /** The npm scripts of the root manifest. */
  readonly scripts: readonly string[];
  /** Whether the repository has the file. @param path relative to the root folder */
  hasFile(path: string): boolean;
}

/** Returns a message for each mistake that GitHub does not report before it runs the workflow. */
export function findWorkflowProblems(data: unknown, { scripts, hasFile }: Repository): string[] {
  const { jobs } = workflow.parse(data);
  return Object.entries(jobs).flatMap(([name, { uses, needs = [], steps = [], ...rest }]) => {
    const problems = [needs]
      .flat()
      .filter((needed) => !(needed in jobs))
      .map((needed) => `needs the job ${needed}, which does not exist`);
    if (uses === undefined && rest['timeout-minutes'] === undefined) problems.push('has no timeout');
    for (const used of [uses, ...steps.map((each) => each.uses)]) {
      if (used !== undefined) problems.push(...findUseProblems(used, hasFile));
    }
    for (const script of steps.flatMap(({ run = '', ...each }) =>
      scriptsOf(`${run}\n${JSON.stringify(each)}`),
    )) {
      if (!scripts.includes(script)) problems.push(`runs the npm script ${script}, which does not exist`);
    }
    return problems.map((problem) => `${name} ${problem}`);
  });
}

function findUseProblems(used: string, hasFile: (path: string) => boolean): string[] {
  if (used.startsWith('./')) return hasFile(used.slice(2)) ? [] : [`uses ${used}, which does not exist`];
  return /@[0-9a-f]{40}$/.test(used) ? [] : [`uses ${used}, which is not pinned by the hash of a commit`];
}

function scriptsOf(text: string): string[] {
  const named = [...text.matchAll(/\b(?:npm run|scripts\/run\.mjs) ([\w:-]+)/g)].map(
    ([, script = '']) => script,
  );
  return /\bnpm test\b/.test(text) ? [...named, 'test'] : named;
}
