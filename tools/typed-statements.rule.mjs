import ts from 'typescript';

/**
 * Rule that `Database.query` gets statements checked against the schema (`statement(…)` of the library), never plain text,
 * whose columns would be unknown. It uses types, so that a variable cannot hide a text.
 */
export const typedStatements = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { text: 'Declare this as a statement of the library, so that the schema gives it its types.' },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    return {
      CallExpression(node) {
        const { callee } = node;
        if (callee.type !== 'MemberExpression' || !/^query(One)?$/.test(callee.property.name)) return;
        if (services.getTypeAtLocation(callee.object).symbol?.name !== 'Database') return;
        const sql = node.arguments[1];
        if (sql && services.getTypeAtLocation(sql).flags & (ts.TypeFlags.StringLike | ts.TypeFlags.Any))
          context.report({ node: sql, messageId: 'text' });
      },
    };
  },
};
