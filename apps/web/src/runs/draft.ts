const KEY = 'quarry.prompt';

/** What is typed and not sent yet; a reload keeps it. */
export const readDraft = () => sessionStorage.getItem(KEY) ?? '';
export const keepDraft = (prompt: string) => sessionStorage.setItem(KEY, prompt);
export const forgetDraft = () => sessionStorage.removeItem(KEY);
