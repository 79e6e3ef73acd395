import type { Rolldown } from 'vite';

/** Returns the files of the chunks and of all their static imports. */
export function filesOf(
  chunks: readonly Rolldown.OutputChunk[],
  all: readonly Rolldown.OutputChunk[],
): Set<string> {
  const files = new Set<string>();
  const visit = (fileName: string) => {
    if (files.has(fileName)) return;
    files.add(fileName);
    for (const imported of all.find((chunk) => chunk.fileName === fileName)?.imports ?? []) visit(imported);
  };
  for (const { fileName } of chunks) visit(fileName);
  return files;
}
