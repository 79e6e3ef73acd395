import { check } from 'recheck';
import ts from 'typescript';

/** A regular expression, and where it is. */
export interface Expression {
  readonly path: string;
  readonly source: string;
  readonly flags: string;
}

/** A source file. The path is relative to the root folder, with forward slashes. */
interface SourceText {
  readonly path: string;
  readonly text: string;
}

/**
 * The checker `automaton` proves that an expression is safe, while recheck's other checker only searches for attacks.
 * `automaton` cannot check look-around, back-references, or nested repetitions with large limits, so the packages use
 * none of them.
 */
const PARAMETERS = { checker: 'automaton', maxRepeatCount: 300, timeout: 60_000 } as const;

/**
 * Returns the regular expressions of a file.
 *
 * @throws {Error} if the file builds one at run time, because such an expression cannot be checked
 */
export function findExpressions({ path, text }: SourceText): Expression[] {
  const found: Expression[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ path, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    } else if (
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'RegExp'
    ) {
      throw new Error(
        `${path} builds a regular expression at run time. Write a literal, which can be checked.`,
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

/**
 * Returns a message for each expression whose time grows faster than the length of its input. With such an
 * expression, a short text from outside could block the process.
 */
export async function findExpressionProblems(expressions: readonly Expression[]): Promise<string[]> {
  const unique = new Map(
    expressions.filter(repeats).map((expression) => [literalOf(expression), expression]),
  );
  const sentences = await Promise.all([...unique.values()].map(describeProblem));
  return sentences.filter((sentence) => sentence !== null);
}

/**
 * Whether the expression may repeat a part. Without a repetition, each position of the input takes a bounded number of
 * steps, so there is nothing to check.
 */
function repeats({ source }: Expression): boolean {
  return /[*+{]/.test(source);
}

async function describeProblem(expression: Expression): Promise<string | null> {
  const result = await check(expression.source, expression.flags, PARAMETERS);
  const name = `${expression.path}: ${literalOf(expression)}`;
  if (result.status === 'safe') return null;
  if (result.status === 'unknown') return `${name} could not be checked (${errorOf(result.error)})`;
  return `${name} takes ${result.complexity.summary} time, for example for ${result.attack.pattern}`;
}

function errorOf(error: { readonly kind: string; readonly message?: string }): string {
  return [error.kind, error.message].filter((part) => part !== undefined).join(': ');
}

function literalOf({ source, flags }: Expression): string {
  return `/${source}/${flags}`;
}
