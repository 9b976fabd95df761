/** Doc comments have a subject: a noun phrase or a sentence, and no clause such as "What is left of the budget". */
export const docComments = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      headless:
        'Begin with a subject: a noun ("The rest of …"), or for a function a verb ("Returns …"), and not with "{{word}}".',
    },
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const word = /^\*\s*(?:\*\s*)?(What|How|Whether|Who(?:se|m)?)\b/.exec(comment.value)?.[1];
          if (comment.type === 'Block' && word)
            context.report({ loc: comment.loc, messageId: 'headless', data: { word } });
        }
      },
    };
  },
};
