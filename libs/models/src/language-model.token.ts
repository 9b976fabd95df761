/** Token of the configured {@link LanguageModel}; null where the operator has configured none. */
export const LANGUAGE_MODEL = Symbol('quarry:models:language-model');
