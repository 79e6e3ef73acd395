import ts from 'typescript';

/** An import, export-from, dynamic import or import type of a source file. */
export interface Import {
  readonly specifier: string;
  /** Whether the import does not exist at run time: `import type`, `export type`, `import('…').T`. */
  readonly isTypeOnly: boolean;
}

/**
 * Returns every import of a file. `import { type A }` is not type-only: `verbatimModuleSyntax` keeps it as
 * `import {}`, which loads the module.
 */
export function readImports(path: string, source: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, isTypeOnly: boolean) => {
    if (specifier !== undefined && ts.isStringLiteralLike(specifier)) {
      found.push({ specifier: specifier.text, isTypeOnly });
    }
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      add(node.argument.literal, true);
    } else if (ts.isCallExpression(node) && loadsModule(node.expression)) {
      add(node.arguments[0], false);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest));
  return found;
}

/** Whether the call is `import(…)`, `require(…)`, `import.meta.resolve(…)` or `require.resolve(…)`. */
function loadsModule(called: ts.Expression): boolean {
  if (called.kind === ts.SyntaxKind.ImportKeyword) return true;
  const target =
    ts.isPropertyAccessExpression(called) && called.name.text === 'resolve' ? called.expression : called;
  return ts.isMetaProperty(target) || (ts.isIdentifier(target) && target.text === 'require');
}
