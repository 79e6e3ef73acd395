import { Copy, DockerfileParser, Env, From, type Instruction, JSONInstruction } from 'dockerfile-ast';

/** An instruction that changes the file system or the settings of an image. */
export type Step =
  | { readonly kind: 'run'; readonly script: string }
  | { readonly kind: 'copy'; readonly from: string | undefined; readonly paths: readonly string[] }
  | { readonly kind: 'env'; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: 'workdir' | 'user' | 'expose'; readonly value: string }
  | { readonly kind: 'volume' | 'entrypoint' | 'cmd' | 'healthcheck'; readonly words: readonly string[] };

export interface Stage {
  readonly name: string | undefined;
  /** The image that the stage starts from, such as `debian:trixie-slim`. */
  readonly image: string;
  readonly steps: readonly Step[];
}

/**
 * Reads the stages of a Dockerfile.
 * @throws Error for an unknown instruction or option, and for a container command in shell form, because a shell would
 * not forward signals
 */
export function readStages(text: string): Stage[] {
  const stages: { name: string | undefined; image: string; steps: Step[] }[] = [];
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    if (instruction instanceof From) {
      const image = instruction.getImage();
      if (image === null) throw new Error('FROM names no image');
      stages.push({ name: instruction.getBuildStage() ?? undefined, image, steps: [] });
    } else if (instruction.getKeyword() !== 'LABEL') {
      stages.at(-1)?.steps.push(readStep(instruction));
    }
  }
  return stages;
}

function readStep(instruction: Instruction): Step {
  const keyword = instruction.getKeyword();
  const content = instruction.getArgumentsContent() ?? '';
  switch (keyword) {
    case 'RUN':
      if (!(instruction instanceof JSONInstruction) || instruction.getFlags().length > 0) {
        throw new Error(`RUN must have no options: ${instruction.toString()}`);
      }
      if (instruction.getOpeningBracket()) throw new Error('RUN must have the shell form');
      // The shell needs the line breaks, which only the raw content keeps.
      return { kind: 'run', script: instruction.getRawArgumentsContent() ?? '' };
    case 'COPY':
      return readCopy(instruction);
    case 'ENV':
      return { kind: 'env', variables: readVariables(instruction) };
    case 'WORKDIR':
    case 'USER':
    case 'EXPOSE':
      return {
        kind: keyword === 'WORKDIR' ? 'workdir' : keyword === 'USER' ? 'user' : 'expose',
        value: content,
      };
    case 'VOLUME':
      return { kind: 'volume', words: readWords(instruction) };
    case 'ENTRYPOINT':
      return { kind: 'entrypoint', words: readWords(instruction) };
    case 'CMD':
      return { kind: 'cmd', words: readWords(instruction) };
    case 'HEALTHCHECK': {
      const [, words] = /\bCMD\s+(\[[\s\S]*\])$/.exec(content) ?? [];
      if (words === undefined) throw new Error(`HEALTHCHECK must have the exec form: ${content}`);
      return { kind: 'healthcheck', words: JSON.parse(words) };
    }
    default:
      throw new Error(`Unknown instruction ${keyword}`);
  }
}

function readCopy(instruction: Instruction): Step {
  if (!(instruction instanceof Copy)) throw new Error('Not a COPY instruction');
  const unknown = instruction.getFlags().find((flag) => flag.getName() !== 'from');
  if (unknown) throw new Error(`Unknown option of COPY: ${unknown.toString()}`);
  const paths = instruction.getArguments().map((argument) => argument.getValue());
  return { kind: 'copy', from: instruction.getFromFlag()?.getValue() ?? undefined, paths };
}

function readVariables(instruction: Instruction): Record<string, string> {
  if (!(instruction instanceof Env)) throw new Error('Not an ENV instruction');
  return Object.fromEntries(instruction.getProperties().map((one) => [one.getName(), one.getValue() ?? '']));
}

function readWords(instruction: Instruction): string[] {
  const words = instruction instanceof JSONInstruction ? instruction.getJSONStrings() : [];
  if (words.length === 0) throw new Error(`${instruction.getKeyword()} must have the exec form`);
  return words.map((word) => word.getJSONValue());
}
